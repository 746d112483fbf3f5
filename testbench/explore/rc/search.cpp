// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/rc/search.h"

#include "testbench/explore/rc/moves.h"

#include <optional>
#include <string_view>
#include <utility>

namespace rnicsim::rc {
namespace {

constexpr std::string_view kNoWay = "V-I11: from here there is no way to the end";

template <typename World, typename Plan>
Explored search_in(const Plan& workload, std::size_t max_states, const explore::Progressing& progressing,
                   explore::Until until) {
    Moves moves;
    explore::BreadthFirst<World, Move, Moves> search(World(workload), moves, max_states, std::string(kNoWay), until);
    explore::Found<Move> found = search.run(progressing);
    return {std::move(found), moves.steps};
}

template <typename World>
std::string words_of(const World& world, const Move& move) {
    const bool early = move.step == Step::timer && move.at_a_cost;
    return world.in_words(move.step, move.of) + (early ? " early" : "");
}

/// What happens from here on without a fault, up to where nothing does, or the same again.
template <typename World>
void go_on(World world, std::vector<std::string>& lines) {
    explore::StateSet seen;
    World scratch = world;
    while (seen.insert(digest(world)).second) {
        std::optional<Move> next;
        Moves moves;
        moves.each(world, scratch, [&next](const Move& move, bool fault, const std::string& /*breach*/) {
            if (!fault) next = move;
            return fault;
        });
        if (!next) {
            lines.emplace_back("  ! nothing more happens");
            return;
        }
        lines.push_back("then " + words_of(world, *next));
        world = scratch;
    }
    lines.emplace_back("  ! and so on, for ever");
}

template <typename World, typename Plan>
std::vector<std::string> words_of(const Plan& workload, const explore::Breach<Move>& breach) {
    std::vector<std::string> lines;
    World world(workload);
    for (const Move& move : breach.trace) {
        lines.push_back(words_of(world, move));
        world.apply(move.step, move.of, !move.at_a_cost);
        if (const std::string broken = world.broken(); !broken.empty()) lines.push_back("  ! " + broken);
    }
    if (breach.rule == kNoWay) go_on(std::move(world), lines);
    return lines;
}

}  // namespace

Explored search(const Workload& workload, std::size_t max_states, const explore::Progressing& progressing,
                explore::Until until) {
    return search_in<ReliableWorld>(workload, max_states, progressing, until);
}

Explored search(const UnreliableWorkload& workload, std::size_t max_states, const explore::Progressing& progressing,
                explore::Until until) {
    return search_in<UnreliableWorld>(workload, max_states, progressing, until);
}

std::vector<std::string> in_words(const Workload& workload, const explore::Breach<Move>& breach) {
    return words_of<ReliableWorld>(workload, breach);
}

std::vector<std::string> in_words(const UnreliableWorkload& workload, const explore::Breach<Move>& breach) {
    return words_of<UnreliableWorld>(workload, breach);
}

}  // namespace rnicsim::rc
