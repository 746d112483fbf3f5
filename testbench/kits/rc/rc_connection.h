// SPDX-License-Identifier: Apache-2.0
// A connection between QPs of two hosts with RoCEv2 RNICs, made before the simulation starts, at no cost.
#pragma once

#include "model/config.h"
#include "model/rnic/rc/qp_attributes.h"
#include "model/system.h"
#include "testbench/kits/rc/wire_judge.h"

#include <array>
#include <cstdint>

namespace rnicsim {

struct QpOfHost {
    unsigned host = 0;
    rc::Qpn qp;
};

/// What both QPs of an item have alike, beside what their hosts say.
struct QpsOfItem {
    rc::Path path{};
    rc::Access access = rc::kRemoteWrite | rc::kRemoteRead | rc::kRemoteAtomic;
    std::uint32_t queue_key = 0;  ///< of datagrams
};

/// Connects them: with the smaller path MTU, and the smaller number of READs and atomics outstanding, of both hosts.
/// Returns what each has.
std::array<rc::QpAttributes, 2> connect_qps(System& system, const RunConfig& config,
                                            const std::array<QpOfHost, 2>& ends, const QpsOfItem& item);

/// What the judge of frames has to know of a reliable connection that has been made.
WireJudge::Connection wire_connection(System& system, const RunConfig& config, const std::array<QpOfHost, 2>& ends);

}  // namespace rnicsim
