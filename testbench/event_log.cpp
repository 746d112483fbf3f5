#include "testbench/event_log.h"

#include "model/host/host_observer.h"
#include "model/rnic/transport_engine.h"
#include "testbench/frame_text.h"

#include <array>
#include <sstream>
#include <string_view>

namespace rnicsim {
namespace {

std::string of_transfer(const LoggedEvent& event) {
    return ", tid " + std::to_string(event.tid) + " as " +
           (static_cast<Role>(event.role) == Role::initiator ? "initiator" : "responder");
}

}  // namespace

std::string cause_text(const LoggedEvent& event) {
    const auto input = static_cast<TransportInput>(event.what);
    if (input == TransportInput::frame) return frame_text(event.head, event.head.size());
    if (input == TransportInput::fetch) return "a fetch of " + frame_text(event.head, event.head.size());
    constexpr std::array<std::string_view, 6> kCommands{"nothing",    "RDMA write",     "RDMA read",
                                                        "registered", "not registered", "a frame to send"};
    if (input == TransportInput::command) return "the command: " + std::string(kCommands.at(event.bytes));
    return input == TransportInput::timer ? "a timer" : "a data frame that has left";
}

std::string describe(const LoggedEvent& event) {
    std::ostringstream out;
    out << "cycle " << event.at << "  " << (event.end == 0 ? 'a' : 'b') << "  ";
    const auto access = [&](const char* what) {
        out << what << ' ' << std::dec << event.bytes << " B at 0x" << std::hex << event.address;
    };
    switch (event.kind) {
        case EventKind::frame:
            out << "sends " << frame_text(event.head, event.bytes) << ", " << event.bytes << " B";
            break;
        case EventKind::memory_write: access("memory is written:"); break;
        case EventKind::memory_read: access("memory is read:"); break;
        case EventKind::dma_write: access("DMA write"); break;
        case EventKind::dma_read: access("DMA read"); break;
        case EventKind::interrupt: out << "interrupt"; break;
        case EventKind::cause: out << "has decided about " << cause_text(event) << of_transfer(event); break;
        case EventKind::decision:
            out << "decides: " << kTransportCountNames.at(event.what) << of_transfer(event);
            break;
        case EventKind::fill: out << "indirect buffer holds " << event.bytes << " slots"; break;
        case EventKind::overrun: out << "has no room for " << frame_text(event.head, event.head.size()); break;
        case EventKind::lost: out << "loses on the link " << frame_text(event.head, event.bytes); break;
        case EventKind::damaged: out << "damages on the link " << frame_text(event.head, event.bytes); break;
        case EventKind::arrives: out << "reaches the other end with " << frame_text(event.head, event.bytes); break;
        case EventKind::host:
            out << "host: " << kHostStepNames.at(event.what) << ' ' << std::dec << event.bytes << of_transfer(event);
            break;
    }
    if (event.hash != 0) out << "  [bytes " << std::hex << event.hash << ']';
    return out.str();
}

}  // namespace rnicsim
