#include "testbench/run/diagnosis.h"
#include "testbench/kits/rc/waiting_qps.h"
#include "testbench/records/report_clock.h"

#include <utility>
#include <vector>

namespace rnicsim {
namespace {

void list(std::string& text, const std::string& who, const std::vector<std::string>& lines) {
    if (lines.empty()) text += "  " + who + ": waits for nothing\n";
    for (const std::string& line : lines) text += "  " + who + ": " + line + '\n';
}

std::string of(std::uint64_t used, std::uint64_t all) { return std::to_string(used) + " of " + std::to_string(all); }

/// The fill of the RNIC's buffers: it also shows what was leaked, for which nothing waits.
std::string fill(const RnicConfig& config, const DrpRnic& rnic) {
    const TransportController& transport = rnic.transport;
    const TransportController::Fill held = transport.fill();
    return "holds " + of(transport.engine().entries_used(), config.transport.table_entries) + " table entries, " +
           of(transport.buffer().used(), held.slots) + " indirect slots (" + std::to_string(held.draining) +
           " in flight to memory), " + of(held.tx_buffers, held.all_tx_buffers) + " transmit buffers, " +
           std::to_string(held.frames) + " frames, " + std::to_string(held.commands) + " commands and " +
           std::to_string(held.transmitted) + " ends of frames not decided about, " +
           of(rnic.pcie.tags_in_use(), config.pcie.tags) + " PCIe tags";
}

template <typename Say>
std::string of_all(const Works& works, const Say& say) {
    std::string text;
    for (const auto& work : works) text += say(*work);
    return text;
}

std::vector<std::string> waiting(const Works& works, unsigned host, Cycle now) {
    std::vector<std::string> all;
    for (const auto& work : works) {
        for (std::string& line : work->waiting(host, now)) all.push_back(std::move(line));
    }
    return all;
}

}  // namespace

std::string diagnosis(const RunConfig& config, System& system, const Works& works, const std::string& what) {
    std::string text = what + "\n  run: " +
                       (!config.variant.empty() ? config.variant
                        : !config.ends.empty()  ? "transfers"
                        : config.verbs.empty()  ? "stations"
                                                : "verbs") +
                       ", repetition " + std::to_string(config.repetition) + ", seed " + std::to_string(config.seed) +
                       of_all(works, [](const Work& work) { return work.left(); }) + '\n';
    const Cycle now = current_cycle();
    for (unsigned end = 0; end < system.hosts(); ++end) {
        const std::string name = ' ' + config.names[end];
        const DrpEnd& here = system.end(end);
        list(text, "workload" + name, waiting(works, end, now));
        list(text, "host" + name, here.host.processor.waiting());
        list(text, "RNIC" + name, here.rnic.transport.engine().waiting(now));
        text += "  RNIC" + name + ": " + fill(config.ends[end].rnic, here.rnic) + '\n';
    }
    for (unsigned host = system.hosts(); host < system.first_station(); ++host) {
        const VerbsEnd& here = system.verbs_end(host);
        list(text, "RNIC " + config.names[host], waiting_qps(here.rnic.transport(), config.names[host]));
        text += "  RNIC " + config.names[host] + ": holds " + std::to_string(here.rnic.receiver().waiting()) +
                " packets that came, " + std::to_string(here.rnic.sender().waiting()) + " to send, " +
                of(here.rnic.pcie.tags_in_use(), verbs_of(config, host).card.pcie.tags) + " PCIe tags" +
                (here.host.idle() ? "" : "; its host is at work") + '\n';
    }
    for (unsigned host = system.first_station(); host < config.names.size(); ++host) {
        if (!system.station(host).idle()) text += "  station " + config.names[host] + ": has frames to send\n";
    }
    for (std::size_t i = 0; i < system.links(); ++i) {
        const Link& link = system.link(i);
        const std::array<Node, 2>& between = config.links[i].between;
        const auto way = [&](unsigned from) {
            return " from " + name_of(config, between.at(from)) + " to " + name_of(config, between.at(1 - from));
        };
        if (config.network && link.idle()) continue;
        text += "  " + config.links[i].name + ": holds " + std::to_string(link.from(0).held()) + " frames back" +
                way(0) + ", " + std::to_string(link.from(1).held()) + way(1) + (config.network ? "\n" : "; ");
    }
    for (std::size_t i = 0; i < system.switches(); ++i) {
        const SwitchLogic& logic = system.network_switch(i).settled();
        text += "  switch " + config.switches[i].name + ": holds " + std::to_string(logic.queued()) + " frames, " +
                std::to_string(logic.queued_bytes()) + " bytes\n";
    }
    text += (config.network ? "  in all " : "in all ") + std::to_string(system.frames().in_use()) + " frames and " +
            std::to_string(system.transactions().in_use()) + " PCIe transactions are in use\n";
    const std::string last = of_all(works, [](const Work& work) { return work.last_frames(); });
    return config.ends.empty() ? text : text + "  last frames sent:\n" + last;
}

}  // namespace rnicsim
