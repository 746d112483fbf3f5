// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/explore.h"

#include "testbench/cli/explore_progress.h"
#include "testbench/explore/narrative.h"
#include "testbench/explore/search.h"
#include "testbench/results/output_folder.h"
#include "testbench/results/text.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace rnicsim::runner {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;

std::string verdict(const explore::Result& result) {
    if (result.broken()) return "BROKEN: " + result.breaches.front().rule;
    return result.exhaustive ? "all rules hold" : "NOT EXHAUSTIVE: max-states reached, no rule broken so far";
}

void show_counter_example(const explore::Setting& setting, const explore::Breach<explore::Action>& breach,
                          const ExploreOptions& options) {
    std::printf("\nThe way there, %zu steps:\n", breach.trace.size());
    for (const std::string& line : explore::in_words(setting, breach.trace)) std::printf("  %s\n", line.c_str());
    const std::string tape = explore::fault_tape(setting, breach.trace, breach.rule);
    if (options.tape.empty()) {
        std::printf("\nAs a fault tape (--tape FILE writes it):\n%s", tape.c_str());
    } else {
        write_atomically(options.tape, tape);
        std::printf("\nFault tape: %s\n", options.tape.c_str());
    }
}

ExitCode explore_drp(const ExploreOptions& options) {
    const std::vector<explore::Bounds> all = options.standard ? explore::standard_set() : std::vector{options.bounds};
    if (options.list) {
        for (const explore::Bounds& bounds : all) std::printf("%s\n", explore::describe(bounds).c_str());
        return kOk;
    }
    std::size_t width = 0;
    for (const explore::Bounds& bounds : all) width = std::max(width, explore::describe(bounds).size());
    explore::Result sum;
    bool exhaustive = true;
    std::printf("%-*s %10s %11s %5s %7s %5s  %s\n", static_cast<int>(width), "bounds", "states", "steps", "depth",
                "time", "MiB", "verdict");
    for (const explore::Bounds& bounds : all) {
        const explore::Setting setting(bounds);
        const explore::Result result = explore::search(setting, progress_of_states());
        std::printf("%-*s %10s %11s %5zu %5s s %5s  %s\n", static_cast<int>(width), explore::describe(bounds).c_str(),
                    grouped(result.states).c_str(), grouped(result.edges).c_str(), result.depth,
                    fixed(result.seconds, 1).c_str(), fixed(static_cast<double>(result.bytes) / kMebibyte, 0).c_str(),
                    verdict(result).c_str());
        static_cast<void>(std::fflush(stdout));
        if (result.broken()) {
            show_counter_example(setting, result.breaches.front(), options);
            return kSimulationFailed;
        }
        sum.states += result.states;
        sum.edges += result.edges;
        sum.seconds += result.seconds;
        sum.reached |= result.reached;
        exhaustive = exhaustive && result.exhaustive;
    }
    std::printf("%s states, %s steps, %s; %s\n", grouped(sum.states).c_str(), grouped(sum.edges).c_str(),
                duration(sum.seconds).c_str(), exhaustive ? "exhaustive within these bounds" : "NOT exhaustive");
    std::string never;
    for (std::size_t i = 0; i < sum.reached.size(); ++i) {
        if (!sum.reached[i]) never += (never.empty() ? "" : ", ") + std::string(kTransportCountNames.at(i));
    }
    if (!never.empty()) std::printf("never happened within them: %s\n", never.c_str());
    return exhaustive ? kOk : kIncomplete;
}

}  // namespace

ExitCode explore(const ExploreOptions& options) {
    switch (options.of) {
        case ExploreOptions::Of::drp: return explore_drp(options);
        case ExploreOptions::Of::rc: return explore_rc(options.rc);
        case ExploreOptions::Of::ntb: return explore_ntb(options.ntb);
        case ExploreOptions::Of::application: return explore_application(options.application);
    }
    return kOk;
}

}  // namespace rnicsim::runner
