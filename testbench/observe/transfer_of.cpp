#include "testbench/observe/transfer_of.h"

#include "model/host/host_observer.h"
#include "model/rnic/connection_table.h"
#include "model/rnic/transport_engine.h"
#include "testbench/frame_text.h"

namespace rnicsim {

std::optional<DrpHeader> header_of(const LoggedEvent& event) {
    switch (event.kind) {
        case EventKind::frame:
        case EventKind::lost:
        case EventKind::damaged:
        case EventKind::arrives:
        case EventKind::overrun:
        case EventKind::cause: break;
        case EventKind::memory_write:
        case EventKind::memory_read:
        case EventKind::dma_write:
        case EventKind::dma_read:
        case EventKind::interrupt:
        case EventKind::decision:
        case EventKind::fill:
        case EventKind::host: return std::nullopt;
    }
    return drp_header(event.head);
}

namespace {

/// A step of the host's software that is about a frame for somebody else. `event`: a host's.
bool of_ordinary_frame(const LoggedEvent& event) {
    const auto step = static_cast<HostStep>(event.what);
    return (step == HostStep::command_posted && static_cast<CommandCode>(event.bytes) == CommandCode::send_frame) ||
           (step == HostStep::event_taken && static_cast<EventCode>(event.bytes) == EventCode::frame_received);
}

}  // namespace

std::optional<TransferName> TransferNames::of(const LoggedEvent& event) {
    const auto named = [this](unsigned initiator, Tid tid) {
        return TransferName{initiator, numbers_[initiator].number_of(tid)};
    };
    if (event.kind == EventKind::decision || event.kind == EventKind::cause || event.kind == EventKind::host) {
        if (event.kind == EventKind::host && of_ordinary_frame(event)) return std::nullopt;
        const bool own = static_cast<Role>(event.role) == Role::initiator;
        return named(own ? event.end : 1U - event.end, Tid{event.tid});
    }
    const std::optional<DrpHeader> header = header_of(event);
    if (!header) return std::nullopt;
    const unsigned sender = event.kind == EventKind::overrun ? 1U - event.end : event.end;
    return named(header->from_initiator() ? sender : 1U - sender, header->tid);
}

}  // namespace rnicsim
