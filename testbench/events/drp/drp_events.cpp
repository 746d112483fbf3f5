// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/drp/drp_events.h"

#include "testbench/events/frame_text.h"

#include <fmt/format.h>

#include <array>

namespace rnicsim {
namespace {

std::string of_transfer(Tid tid, Role role) {
    return fmt::format(", tid {} as {}", raw(tid), role == Role::initiator ? "initiator" : "responder");
}

}  // namespace

std::string cause_text(const DecisionCause& cause) {
    constexpr std::array<std::string_view, 6> kCommands{"nothing",    "RDMA write",     "RDMA read",
                                                        "registered", "not registered", "a frame to send"};
    const auto command = static_cast<std::size_t>(cause.command.value_or(CommandCode::none));
    switch (cause.input) {
        case TransportInput::frame: return frame_text(cause.header.value_or(DrpHeader{}));
        case TransportInput::fetch: return "a fetch of " + frame_text(cause.header.value_or(DrpHeader{}));
        case TransportInput::command: return "the command: " + std::string(kCommands.at(command));
        case TransportInput::timer: return "a timer";
        case TransportInput::transmitted: return "a data frame that has left";
    }
    return {};
}

std::string text(const DecisionCause& cause) {
    return "has decided about " + cause_text(cause) + of_transfer(cause.tid, cause.role);
}

std::string text(const DecisionResult& result) {
    return fmt::format("decides: {}{}", kTransportCountNames.at(static_cast<std::size_t>(result.what)),
                       of_transfer(result.tid, result.role));
}

std::string text(const BufferFill& fill) { return fmt::format("indirect buffer holds {} slots", fill.slots); }

std::string text(const Overrun& overrun) { return "has no room for " + frame_text(overrun.header); }

std::string text(const SoftwareStep& software) {
    return fmt::format("host: {} {}{}", kHostStepNames.at(static_cast<std::size_t>(software.step)), software.value,
                       of_transfer(software.tid, software.role));
}

EventPlace place_of(const DecisionCause& /*cause*/) { return {"transport", "decides"}; }

EventPlace place_of(const DecisionResult& result) {
    return {"transport", kTransportCountNames.at(static_cast<std::size_t>(result.what))};
}

EventPlace place_of(const BufferFill& /*fill*/) { return {"buffer", "fill"}; }

EventPlace place_of(const Overrun& /*overrun*/) { return {"transport", "rx_overrun"}; }

EventPlace place_of(const SoftwareStep& software) {
    return {"host", kHostStepNames.at(static_cast<std::size_t>(software.step))};
}

EventColumns columns_of(const DecisionCause& cause, const HostNames& /*hosts*/) {
    return {.role = cause.role, .tid = cause.tid};
}

EventColumns columns_of(const DecisionResult& result, const HostNames& /*hosts*/) {
    return {.role = result.role, .tid = result.tid};
}

EventColumns columns_of(const BufferFill& fill, const HostNames& /*hosts*/) { return {.bytes = fill.slots}; }

EventColumns columns_of(const Overrun& /*overrun*/, const HostNames& /*hosts*/) { return {.bytes = 0}; }

EventColumns columns_of(const SoftwareStep& software, const HostNames& /*hosts*/) {
    EventColumns columns{.tid = software.tid, .bytes = software.value};
    if (!software.of_ordinary_frame()) columns.role = software.role;
    return columns;
}

}  // namespace rnicsim
