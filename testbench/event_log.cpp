#include "testbench/event_log.h"

#include "model/rnic/transport_engine.h"
#include "testbench/frame_text.h"

#include <sstream>

namespace rnicsim {

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
        case EventKind::decision:
            out << "decides: " << kTransportCountNames.at(event.what) << ", tid " << event.tid << " as "
                << (static_cast<Role>(event.role) == Role::initiator ? "initiator" : "responder");
            break;
    }
    if (event.hash != 0) out << "  [bytes " << std::hex << event.hash << ']';
    return out.str();
}

}  // namespace rnicsim
