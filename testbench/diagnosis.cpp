#include "testbench/diagnosis.h"
#include "testbench/report_clock.h"

#include <vector>

namespace rnicsim {
namespace {

void list(std::string& text, const std::string& who, const std::vector<std::string>& lines) {
    if (lines.empty()) text += "  " + who + ": waits for nothing\n";
    for (const std::string& line : lines) text += "  " + who + ": " + line + '\n';
}

std::string of(std::uint64_t used, std::uint64_t all) { return std::to_string(used) + " of " + std::to_string(all); }

/// The fill of the RNIC's buffers: it also shows what was leaked, for which nothing waits.
std::string fill(const RnicConfig& config, const Rnic& rnic) {
    const TransportController& transport = rnic.transport;
    const TransportController::Fill held = transport.fill();
    return "holds " + of(transport.engine().entries_used(), config.transport.table_entries) + " table entries, " +
           of(transport.buffer().used(), held.slots) + " indirect slots (" + std::to_string(held.draining) +
           " in flight to memory), " + of(held.tx_buffers, held.all_tx_buffers) + " transmit buffers, " +
           std::to_string(held.frames) + " frames, " + std::to_string(held.commands) + " commands and " +
           std::to_string(held.transmitted) + " ends of frames not decided about, " +
           of(rnic.pcie.tags_in_use(), config.pcie.tags) + " PCIe tags";
}

}  // namespace

std::string diagnosis(const RunConfig& config, System& system, const Scoreboard& board, const std::string& what) {
    std::string text =
        what + "\n  run: " + (config.ends[0].rnic.transport.method == Method::dynamic ? "dynamic" : "traditional") +
        ", repetition " + std::to_string(config.repetition) + ", seed " + std::to_string(config.seed) + ", " +
        std::to_string(board.transfers_left()) + " transfers not ended\n";
    const Cycle now = current_cycle();
    for (const unsigned end : {0U, 1U}) {
        const std::string name = end == 0 ? " a" : " b";
        const EndSystem& here = system.end(end);
        list(text, "workload" + name, board.waiting(end, now));
        list(text, "host" + name, here.host.processor.waiting());
        list(text, "RNIC" + name, here.rnic.transport.engine().waiting(now));
        text += "  RNIC" + name + ": " + fill(config.ends[end].rnic, here.rnic) + '\n';
    }
    const Link& link = system.link();
    text += "  link: holds " + std::to_string(link.a_to_b.held()) + " frames back from a to b, " +
            std::to_string(link.b_to_a.held()) + " from b to a; in all " + std::to_string(system.frames().in_use()) +
            " frames and " + std::to_string(system.transactions().in_use()) + " PCIe transactions are in use\n";
    return text + "  last frames sent:\n" + board.last_frames();
}

}  // namespace rnicsim
