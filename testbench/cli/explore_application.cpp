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
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

namespace rnicsim::runner {
namespace {

using Search = explore::BreadthFirst<explore::PairWorld, explore::PairMove, explore::PairMoves>;

std::string bounds_text(const ExploreApplicationOptions& options, const std::vector<std::string>& bounds) {
    std::string text = options.application;
    for (const std::string& set : options.sets) text += ", " + set;
    for (const std::string& bound : bounds) text += ", " + bound;
    text += ", operations of";
    for (const std::uint32_t size : options.sizes) text += fmt::format(" {}", size);
    return text + " B";
}

/// Connections of a ring are explored together, which is as much as a minute has room for with one operation.
std::vector<std::uint32_t> usual_sizes(const std::string& application) {
    const applications::Application* const of = workload_guide(application).application;
    if (of != nullptr && of->is_among_its_hosts()) return {8};
    return {64, 40};
}

/// The scenario of its guide, with these keys set.
RunConfig config_with(const WorkloadGuide& guide, const ExploreApplicationOptions& options,
                      const std::vector<std::string>& sets) {
    std::vector<Override> overrides;
    overrides.reserve(sets.size() + 1);
    for (const std::string& set : sets) overrides.push_back(parse_override(set));
    overrides.emplace_back("run.traffic.all.size", fmt::format("{} B", std::ranges::max(options.sizes)));
    const ScenarioOfText file(guide.scenario);
    RunConfig config = run_config(load_scenario(file.path(), overrides), 0, 0, 0);
    config.traffic.front().transfers = static_cast<std::uint32_t>(options.sizes.size());
    return config;
}

struct Explored {
    RunConfig config;
    std::vector<std::string> bounds;  ///< KEY=VALUE, which the application has for this
};

Explored explored_of(const ExploreApplicationOptions& options) {
    const WorkloadGuide guide = workload_guide(options.application);
    if (guide.application == nullptr)
        throw ScenarioError(fmt::format("--application {}: is no application, expected one of `rnicsim workloads`",
                                        options.application));
    if (guide.application->is_over_a_bridge())
        throw ScenarioError(fmt::format("--application {}: its ring is explored by `rnicsim explore --personality ntb`",
                                        options.application));
    Explored explored{config_with(guide, options, options.sets), {}};
    std::vector<std::string> sets = options.sets;
    for (const std::string_view bound : guide.application->explored_with()) {
        const std::string_view key = bound.substr(0, bound.find('='));
        // "run.traffic.all.kv.rx_size" is the same key.
        const auto sets_it = [&](const std::string& set) {
            return std::string_view(set).substr(0, set.find('=')).ends_with(key.substr(key.find('.')));
        };
        if (std::ranges::any_of(options.sets, sets_it)) continue;
        if (guide.application->unread(explored.config.traffic.front(), key) != nullptr) continue;
        explored.bounds.emplace_back(bound);
        sets.emplace_back(bound);
    }
    if (!explored.bounds.empty()) explored.config = config_with(guide, options, sets);
    return explored;
}

}  // namespace

ExitCode explore_application(const ExploreApplicationOptions& asked) {
    ExploreApplicationOptions options = asked;
    if (options.sizes.empty()) options.sizes = usual_sizes(options.application);
    const Explored explored = explored_of(options);
    const RunConfig& config = explored.config;
    const std::string bounds = bounds_text(options, explored.bounds);
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
    if (!explored.bounds.empty())
        std::printf("\nBounded, so that it ends soon, but for what --set says: %s\n",
                    fmt::format("{}", fmt::join(explored.bounds, ", ")).c_str());
    if (found.broken())
        std::printf("\nThe way there, %zu steps:\n%s", found.breaches.front().trace.size(),
                    explore::draw_pair(plan, found.breaches.front().trace, rule).c_str());
    if (!rule.empty()) return kSimulationFailed;
    return found.exhaustive ? kOk : kIncomplete;
}

}  // namespace rnicsim::runner
