// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/diagnosis.h"

#include "model/network/switch/switch.h"
#include "testbench/kits/kits.h"
#include "testbench/records/report_clock.h"

#include <utility>
#include <vector>

namespace rnicsim {
namespace {

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

/// Of its first host.
std::string traffic_of(const RunConfig& config) { return std::string(kit_of(config, 0).traffic()); }

}  // namespace

std::string diagnosis(const RunConfig& config, System& system, const Works& works, const std::string& what) {
    std::string text = what + "\n  run: " + (config.variant.empty() ? traffic_of(config) : config.variant) +
                       ", repetition " + std::to_string(config.repetition) + ", seed " + std::to_string(config.seed) +
                       of_all(works, [](const Work& work) { return work.left(); }) + '\n';
    const Cycle now = current_cycle();
    for (unsigned host = 0; host < system.hosts(); ++host)
        text += kit_of(config, host).explain(system.end(host), config, host, waiting(works, host, now));
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
    return last.empty() ? text : text + "  last frames sent:\n" + last;
}

}  // namespace rnicsim
