// SPDX-License-Identifier: Apache-2.0
// The QPs of all hosts with a RoCEv2 RNIC, as their cards have them at this moment. A packet names the QP that it goes
// to, and a datagram the one that it is from; a reader wants the QP that asked.
#pragma once

#include "tlm/roce/psn.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim {

struct RunConfig;
class System;
namespace rc {
struct Qp;
}

class EndQps {
  public:
    /// The requester of a connection, by which both of its directions are named.
    struct Requester {
        std::uint16_t host = 0;
        std::uint32_t qp = 0;  ///< at that host, in order of creation, from 0
        roce::Psn first;       ///< PSN of its first packet
        roce::Psn settled;     ///< all before it belongs to messages that are over, and is not sent again
    };

    /// `system`: not owned; its hosts may be built later.
    EndQps(const RunConfig& run, const System& system);
    /// `is_self`: this QP itself; else the one that it is connected to, which asks it. Nothing: it is not connected.
    [[nodiscard]] std::optional<Requester> requester(unsigned host, roce::Qpn qp, bool is_self) const;

  private:
    /// Null: this host has no QP of this number.
    [[nodiscard]] const rc::Qp* qp(unsigned host, roce::Qpn number) const;

    const System& system_;
    std::vector<bool> speaks_;  // by host: it has a RoCEv2 RNIC
};

}  // namespace rnicsim
