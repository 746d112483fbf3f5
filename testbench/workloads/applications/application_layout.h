// SPDX-License-Identifier: Apache-2.0
// The connections of an application's items, and where their rings and areas lie in the memories of their hosts.
#pragma once

#include "model/config.h"
#include "model/rnic/rc/completion_queues.h"
#include "model/rnic/rc/work_queues.h"
#include "testbench/applications/application.h"
#include "testbench/kits/rc/verbs_layout.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rnicsim {

/// Of all regions and QPs of an application.
inline constexpr rc::Pd kApplicationPd{1};
inline constexpr rc::Access kApplicationAccess =
    rc::kLocalWrite | rc::kRemoteWrite | rc::kRemoteRead | rc::kRemoteAtomic;

struct ApplicationLayout {
    struct End {
        unsigned host = 0;
        std::uint32_t qp = 0;      ///< at its host, in order of creation, from 0; without a card: of no QP
        std::uint32_t thread = 0;  ///< of its host
        std::uint32_t stream = 0;  ///< at its host, where the plan has one
        rc::SendRing sends;
        rc::ReceiveRing receives;
        std::vector<rc::Range> areas;  ///< as its plan has them
    };
    struct Connection {
        std::size_t item = 0;
        std::uint32_t number = 0;  ///< of its pair of hosts
        applications::Plan plan;
        std::array<End, 2> ends;  ///< who asks, who answers
    };
    std::vector<Connection> connections;       ///< in the order of (item, from, to, number)
    std::vector<TakenOfHost> before, taken;    ///< by host: without its ends, with them
    std::vector<std::vector<rc::CqRing>> cqs;  ///< by host, then by thread; none: it does not have the card
    std::vector<std::uint32_t> streams;        ///< by host: how many
    std::vector<rc::Range> sockets;            ///< by host: what they need of its memory
    std::vector<rc::LineMemory> lines;         ///< by host: for what does not fit into its card
    /// Is it a host of the application?
    [[nodiscard]] bool has(unsigned host) const {
        return host < taken.size() && taken[host].connections != before[host].connections;
    }
    /// ... whose card it has?
    [[nodiscard]] bool has_card(unsigned host) const { return host < cqs.size() && !cqs[host].empty(); }
};

/// Of the items of this application. `before`: by host, what other works have taken; empty: nothing.
ApplicationLayout lay_out(const RunConfig& config, const applications::Application& application,
                          std::span<const TakenOfHost> before = {});

}  // namespace rnicsim
