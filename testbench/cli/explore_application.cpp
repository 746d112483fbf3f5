// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/explore_application.h"

#include "testbench/cli/axes.h"
#include "testbench/cli/explore_progress.h"
#include "testbench/cli/workload_guide.h"
#include "testbench/explore/applications/pair_ladder.h"
#include "testbench/explore/applications/pair_world.h"
#include "testbench/explore/breadth_first.h"
#include "testbench/results/text.h"
#include "testbench/scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace rnicsim::runner {
namespace {

using Search = explore::BreadthFirst<explore::PairWorld, explore::PairMove, explore::PairMoves>;

std::string bounds_text(const ExploreApplicationOptions& options) {
    std::string text = options.application;
    for (const std::string& set : options.sets) text += ", " + set;
    text += ", operations of";
    for (const std::uint32_t size : options.sizes) text += fmt::format(" {}", size);
    return text + " B";
}

RunConfig config_of(const ExploreApplicationOptions& options) {
    const WorkloadGuide guide = workload_guide(options.application);
    if (guide.application == nullptr)
        throw ScenarioError(fmt::format("--application {}: is no application, expected one of `rnicsim workloads`",
                                        options.application));
    std::vector<Override> overrides;
    for (const std::string& set : options.sets) overrides.push_back(parse_override(set));
    overrides.emplace_back("run.traffic.all.size", fmt::format("{} B", std::ranges::max(options.sizes)));
    const ScenarioOfText file(guide.scenario);
    RunConfig config = run_config(load_scenario(file.path(), overrides), 0, 0, 0);
    config.traffic.front().transfers = static_cast<std::uint32_t>(options.sizes.size());
    return config;
}

}  // namespace

ExitCode explore_application(const ExploreApplicationOptions& options) {
    const RunConfig config = config_of(options);
    const std::string bounds = bounds_text(options);
    if (options.list) {
        std::printf("%s\n", bounds.c_str());
        return kOk;
    }
    const TrafficConfig& item = config.traffic.front();
    const explore::PairPlan plan{workload_guide(options.application).application, &item, options.sizes};
    explore::PairMoves moves;
    const auto found =
        Search(explore::PairWorld(plan), moves, options.max_states, "no way to the end").run(progress_of_states());
    std::string rule = found.broken() ? found.breaches.front().rule : "";
    for (const std::vector<applications::Counts>& of : moves.ends)
        if (rule.empty()) rule = explore::wrong_count(plan, of);
    std::printf("%-*s %10s %11s %5s %7s %5s  %s\n", static_cast<int>(bounds.size()), "bounds", "states", "steps",
                "depth", "time", "MiB", "verdict");
    std::printf("%s %10s %11s %5zu %5s s %5s  %s\n", bounds.c_str(), grouped(found.states).c_str(),
                grouped(found.edges).c_str(), found.depth, fixed(found.seconds, 1).c_str(),
                fixed(static_cast<double>(found.bytes) / (1U << 20U), 0).c_str(),
                !rule.empty()      ? ("BROKEN: " + rule).c_str()
                : found.exhaustive ? "all rules hold"
                                   : "NOT EXHAUSTIVE: max-states reached, no rule broken so far");
    if (found.broken())
        std::printf("\nThe way there, %zu steps:\n%s", found.breaches.front().trace.size(),
                    explore::draw_pair(plan, found.breaches.front().trace, rule).c_str());
    if (!rule.empty()) return kSimulationFailed;
    return found.exhaustive ? kOk : kIncomplete;
}

}  // namespace rnicsim::runner
