// SPDX-License-Identifier: Apache-2.0
// Resolved parameters of a point-to-point full-duplex link.
#pragma once

#include "model/faults/config.h"
#include "model/network/link/node.h"
#include "tlm/time/mac_timing.h"
#include "tlm/time/time.h"

#include <array>
#include <string>

namespace rnicsim {

struct LinkConfig : LinkFaultConfig {
    std::string name = "link";
    std::string group = "link";  ///< under which name it is counted
    std::array<Node, 2> between{Node{Node::Kind::host, 0}, Node{Node::Kind::host, 1}};  ///< by side
    MacTiming timing;                                                                   ///< of both directions
    Time delay = kNanosecond * 40;                                                      ///< propagation, each direction
};

}  // namespace rnicsim
