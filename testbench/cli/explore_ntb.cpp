// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/explore_ntb.h"

#include "testbench/cli/explore_progress.h"
#include "testbench/cli/option_kinds.h"
#include "testbench/explore/breadth_first.h"
#include "testbench/explore/ntb/ring_ladder.h"
#include "testbench/results/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <span>
#include <string_view>

namespace rnicsim::runner {
namespace {

using RingSearch = explore::BreadthFirst<explore::RingWorld, explore::RingMove, explore::RingMoves>;

/// One of several words, if it is given.
template <typename T>
void choice(CLI::App& group, const char* name, std::optional<T>& value, std::span<const std::string_view> names,
            const char* meaning) {
    std::map<std::string, T> words;
    for (std::size_t i = 0; i < names.size(); ++i) words.emplace(names[i], static_cast<T>(i));
    const auto set = [&value, words](const std::string& text) { value = words.at(text); };
    group.add_option_function<std::string>(name, set, meaning)->check(CLI::IsMember(words));
}

/// Throws CLI::ValidationError if a stream would have nothing to do.
explore::RingBounds over(explore::RingBounds bounds, const NtbBounds& given) {
    bounds.index = given.index.value_or(bounds.index);
    bounds.align = given.align.value_or(bounds.align);
    bounds.notify = given.notify.value_or(bounds.notify);
    bounds.partial = given.partial.value_or(bounds.partial);
    bounds.buffers = given.buffers.value_or(bounds.buffers);
    bounds.downs = static_cast<std::uint8_t>(given.downs.value_or(bounds.downs));
    bounds.resets = static_cast<std::uint8_t>(given.resets.value_or(bounds.resets));
    bounds.several_slots = bounds.several_slots || given.several_slots;
    bounds.held = bounds.held || given.held;
    if (given.stream && bounds.downs == 0)
        throw CLI::ValidationError("--stream", "nothing goes by it, as the link is never down: expected --downs 1");
    bounds.stream = bounds.stream || given.stream;
    return bounds;
}

/// Of all those that the bounds hide have no states.
NtbExploreOptions::Ring wrong_ring(const explore::WrongRing& wrong, const NtbBounds& given) {
    const explore::RingBounds bounds = over(wrong.bounds, given);
    NtbExploreOptions::Ring ring{explore::ring_of(wrong, bounds), explore::hidden_by(wrong, bounds), true};
    ring.of.name = fmt::format("{} {}: {}", wrong.name, wrong.what, ring.of.name);
    if (ring.hidden.empty() || given.policy == "all") return ring;
    throw CLI::ValidationError("--policy", fmt::format("{} ({}) shows nothing within these bounds, expected {}",
                                                       wrong.name, wrong.what, ring.hidden));
}

std::string verdict(const explore::Found<explore::RingMove>& found, bool is_wrong) {
    if (!found.broken() && !found.exhaustive) return "NOT EXHAUSTIVE: no rule broken so far";
    if (!found.broken())
        return is_wrong ? "nothing misses the rule within these bounds; without any it shows" : "all rules hold";
    return fmt::format("BROKEN in {} steps: {}", found.breaches.front().trace.size(), found.breaches.front().rule);
}

}  // namespace

void add_ntb_bounds(CLI::App& group, NtbBounds& bounds) {
    std::vector<std::string> policies{"all"};
    std::string meaning = "Without a rule of the ring; all: one after the other.";
    for (const explore::WrongRing& wrong : explore::wrong_rings()) {
        policies.emplace_back(wrong.name);
        meaning += fmt::format(" {}: {}.", wrong.name, wrong.what);
    }
    group.add_option("--policy", bounds.policy, meaning)->check(CLI::IsMember(policies));
    choice(group, "--index", bounds.index, nts::kIndexNames,
           "Who reads, who writes: the host that has its index, l: who receives, r: who sends; shadow: none [shadow]");
    choice(group, "--align", bounds.align, nts::kAlignNames, "Where a slot begins; packed: 8 B behind a line's [line]");
    choice(group, "--notify", bounds.notify, nts::kNotifyNames, "[poll]");
    choice(group, "--partial", bounds.partial, kPartialLineNames,
           "How a line that is not full leaves its buffer: 8 B each, in any order, or at once [chunks]");
    const auto number = [&group](const char* name, std::optional<std::uint32_t>& value, std::uint32_t least,
                                 std::uint32_t most, const char* says) {
        group
            .add_option_function<std::uint32_t>(
                name, [&value](std::uint32_t n) { value = n; }, says)
            ->type_name("N")
            ->check(CLI::Range(least, most));
    };
    number("--buffers", bounds.buffers, 1, 4, "Write-combining buffers of a core [2]");
    number("--downs", bounds.downs, 0, 2, "So often the link is down, at most, at any time [0]");
    number("--resets", bounds.resets, 0, 2, "So often the receiver begins anew [0]");
    group.add_flag("--several-slots", bounds.several_slots, "Each message takes two");
    group.add_flag("--held", bounds.held, "A buffer leaves only when it has to");
    group.add_flag("--stream", bounds.stream, "While the link is down messages go by a stream (--downs)");
}

std::vector<NtbExploreOptions::Ring> rings_of(const NtbBounds& bounds, const CLI::App& group) {
    const auto all_of = [](const std::vector<explore::NamedRing>& rings) {
        std::vector<NtbExploreOptions::Ring> all;
        all.reserve(rings.size());
        for (const explore::NamedRing& ring : rings) all.push_back({ring});
        return all;
    };
    if (group.count_all() == 0) return all_of(explore::standard_rings());
    const std::size_t faults = group.count("--downs") + group.count("--resets");
    if (faults != 0 && group.count_all() == faults)
        return all_of(explore::faulty_rings(static_cast<std::uint8_t>(bounds.downs.value_or(0)),
                                            static_cast<std::uint8_t>(bounds.resets.value_or(0))));
    if (bounds.policy.empty()) return {{explore::ring_of(over({}, bounds))}};
    std::vector<NtbExploreOptions::Ring> rings;
    for (const explore::WrongRing& wrong : explore::wrong_rings())
        if (bounds.policy == "all" || bounds.policy == wrong.name) rings.push_back(wrong_ring(wrong, bounds));
    return rings;
}

ExitCode explore_ntb(const NtbExploreOptions& options) {
    std::size_t width = 0;
    for (const auto& ring : options.rings) width = std::max(width, ring.of.name.size());
    const auto column = static_cast<int>(width);
    if (options.list) {
        for (const auto& ring : options.rings) std::printf("%s\n", ring.of.name.c_str());
        return kOk;
    }
    explore::Found<explore::RingMove> sum;
    bool exhaustive = true, broken = false;
    std::printf("%-*s %10s %11s %5s %7s  %s\n", column, "ring", "states", "steps", "depth", "time", "verdict");
    for (const auto& [ring, hidden, is_wrong] : options.rings) {
        if (!hidden.empty()) {
            std::printf("%-*s %s\n", column, ring.name.c_str(), ("shows nothing, expected " + hidden).c_str());
            continue;
        }
        explore::RingMoves moves;
        const auto found =
            RingSearch(explore::RingWorld(ring.setting), moves, options.max_states, std::string(explore::kNeverComes))
                .run(progress_of_states());
        std::printf("%-*s %10s %11s %5zu %5s s  %s\n", column, ring.name.c_str(), grouped(found.states).c_str(),
                    grouped(found.edges).c_str(), found.depth, fixed(found.seconds, 1).c_str(),
                    verdict(found, is_wrong).c_str());
        static_cast<void>(std::fflush(stdout));
        if (found.broken() && !options.each) {
            const auto& breach = found.breaches.front();
            std::printf("\nThe way there, %zu steps:\n%s", breach.trace.size(),
                        explore::draw_ring(ring.setting, breach.trace, breach.rule).c_str());
            return kSimulationFailed;
        }
        broken = broken || found.broken();
        exhaustive = exhaustive && found.exhaustive;
        sum.states += found.states;
        sum.edges += found.edges;
        sum.seconds += found.seconds;
    }
    if (broken) return kSimulationFailed;
    std::printf("%s states, %s steps, %s; %s\n", grouped(sum.states).c_str(), grouped(sum.edges).c_str(),
                duration(sum.seconds).c_str(), exhaustive ? "exhaustive within these bounds" : "NOT exhaustive");
    return exhaustive ? kOk : kIncomplete;
}

}  // namespace rnicsim::runner
