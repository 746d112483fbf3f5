// SPDX-License-Identifier: Apache-2.0
// What a DRP RNIC decides, and what the software of its host does.
#pragma once

#include "model/rnic/drp/host/host_observer.h"
#include "model/rnic/drp/transport_engine.h"
#include "testbench/events/event_row.h"
#include "tlm/drp/drp_header.h"
#include "tlm/drp/host_queues.h"

#include <cstdint>
#include <optional>
#include <string>

namespace rnicsim {

/// The transport controller has decided about this. The results that follow are what came of it.
struct DecisionCause {
    TransportInput input = TransportInput::frame;
    Role role = Role::initiator;
    Tid tid{};
    std::uint16_t other = 0;  ///< the other host of the transfer
    std::optional<CommandCode> command{};
    std::optional<DrpHeader> header{};  ///< of the frame that has arrived, or is fetched

    friend bool operator==(const DecisionCause&, const DecisionCause&) = default;
};

/// Something that the transport controller counts.
struct DecisionResult {
    TransportCount what = TransportCount::requests_sent;
    Role role = Role::initiator;
    Tid tid{};
    std::uint16_t other = 0;  ///< the other host of the transfer

    friend bool operator==(const DecisionResult&, const DecisionResult&) = default;
};

/// The indirect buffer holds so many slots from now on.
struct BufferFill {
    std::uint32_t slots = 0;

    friend bool operator==(const BufferFill&, const BufferFill&) = default;
};

/// A data frame has found the receive buffer full.
struct Overrun {
    DrpHeader header;
    std::uint16_t other = 0;  ///< the host that has sent it

    friend bool operator==(const Overrun&, const Overrun&) = default;
};

/// A step of the host's software, which took from `during` to `at`.
struct SoftwareStep {
    static constexpr bool kOfHost = true;
    HostStep step = HostStep::requested;
    Role role = Role::initiator;  ///< of this host's RNIC
    Tid tid{};
    std::uint16_t other = 0;  ///< the other host of the transfer
    std::uint32_t value = 0;  ///< as files of events have it; what it means is said by those below

    [[nodiscard]] std::optional<CommandCode> command() const {
        if (step != HostStep::command_posted) return std::nullopt;
        return static_cast<CommandCode>(value);
    }
    [[nodiscard]] std::optional<EventCode> event() const {
        if (step != HostStep::event_taken) return std::nullopt;
        return static_cast<EventCode>(value);
    }
    [[nodiscard]] std::optional<TransferError> error() const {
        if (step != HostStep::failed) return std::nullopt;
        return static_cast<TransferError>(value);
    }
    [[nodiscard]] bool simulated_ack() const { return step == HostStep::acknowledged && value != 0; }
    /// About a frame that is not the RNIC's own: no transfer has a part in it.
    [[nodiscard]] bool of_ordinary_frame() const {
        return command() == CommandCode::send_frame || event() == EventCode::frame_received;
    }

    friend bool operator==(const SoftwareStep&, const SoftwareStep&) = default;
};

std::string text(const DecisionCause& cause);
EventPlace place_of(const DecisionCause& cause);
EventColumns columns_of(const DecisionCause& cause, const HostNames& hosts);
std::string text(const DecisionResult& result);
EventPlace place_of(const DecisionResult& result);
EventColumns columns_of(const DecisionResult& result, const HostNames& hosts);
std::string text(const BufferFill& fill);
EventPlace place_of(const BufferFill& fill);
EventColumns columns_of(const BufferFill& fill, const HostNames& hosts);
std::string text(const Overrun& overrun);
EventPlace place_of(const Overrun& overrun);
EventColumns columns_of(const Overrun& overrun, const HostNames& hosts);
std::string text(const SoftwareStep& software);
EventPlace place_of(const SoftwareStep& software);
EventColumns columns_of(const SoftwareStep& software, const HostNames& hosts);
/// What a decision was about, in words.
std::string cause_text(const DecisionCause& cause);

}  // namespace rnicsim
