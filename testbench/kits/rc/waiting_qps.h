// SPDX-License-Identifier: Apache-2.0
// What the QPs of a RoCEv2 card still have to do, for the diagnosis of a run that stands still.
#pragma once

#include "model/rnic/rc/rc_transport.h"

#include <string>
#include <vector>

namespace rnicsim {

/// A line for each QP of this host that has something left, "a.q0: RTS, WQE 4 of 9 (WRITE), PSN 100 to 104 without an
/// answer, 6 tries left"; of more than eight the first ones, and how many there are.
std::vector<std::string> waiting_qps(const rc::RcTransport& transport, const std::string& host);

}  // namespace rnicsim
