// SPDX-License-Identifier: Apache-2.0
// What a kind of event is called, and what it tells: one row of a file of events.
#pragma once

#include "model/host_names.h"
#include "model/transfer_key.h"
#include "tlm/drp/drp_header.h"
#include "tlm/drp/ids.h"
#include "tlm/roce/packet.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rnicsim {

struct EventPlace {
    std::string_view unit;
    std::string_view event;
};

/// Columns that an event has or leaves empty.
struct EventColumns {
    std::optional<roce::Bth> bth{};
    std::optional<Role> role{};
    std::optional<Tid> tid{};              ///< where no frame tells it
    std::optional<std::uint32_t> bytes{};  ///< or slots, or the step's value
    std::uint64_t address = 0;             ///< 0: none
    std::optional<roce::Qpn> qp{};         ///< of a RoCEv2 RNIC
    std::string message{};                 ///< "a.q0.7"
    std::string verb{};
    /// Of a frame of a stream.
    struct Tcp {
        std::string_view type;
        std::uint32_t sequence = 0, acknowledged = 0, payload = 0;
        std::string flags{};  ///< and which transmission: "ACK+PSH #1"
    };
    std::optional<Tcp> tcp{};
};

}  // namespace rnicsim
