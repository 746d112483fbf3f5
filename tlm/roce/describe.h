// SPDX-License-Identifier: Apache-2.0
// A packet in one line, for people: "WRITE_FIRST psn 5 qp 0x12 va 0x1000 key 0x101 length 2048, 1024 B".
#pragma once

#include "tlm/roce/packet.h"

#include <string>

namespace rnicsim::roce {

/// Takes any header, also one of an unknown opcode: "opcode 0x1C (FLUSH) ...".
std::string describe(const Header& header);
/// The header's line; after an error its name, and of the packet what can be believed.
std::string describe(const Packet& packet);
std::string describe(const Frame& frame);

}  // namespace rnicsim::roce
