// SPDX-License-Identifier: Apache-2.0
// Whose packets are on the wire: a packet names the QP that it goes to, and a datagram the one that it is from; a
// reader wants the QP that asked.
#pragma once

#include "tlm/roce/psn.h"

#include <cstdint>
#include <optional>

namespace rnicsim {

class QpDirectory {
  public:
    virtual ~QpDirectory() = default;

    /// The requester of a connection, by which both of its directions are named.
    struct Requester {
        std::uint16_t host = 0;
        std::uint32_t qp = 0;  ///< at that host, in order of creation, from 0
        roce::Psn first;       ///< PSN of its first packet
        roce::Psn settled;     ///< all before it belongs to messages that are over, and is not sent again
    };
    /// `is_self`: this QP itself; else the one that it is connected to, which asks it. Nothing: it is not connected.
    [[nodiscard]] virtual std::optional<Requester> requester(unsigned host, roce::Qpn qp, bool is_self) const = 0;
};

}  // namespace rnicsim
