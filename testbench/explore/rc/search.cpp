#include "testbench/explore/rc/search.h"

#include <utility>

namespace rnicsim::rc {
namespace {

/// If only these can be next, nothing is under way, and a timer is on time.
bool waits_for_nobody(Step step) {
    return step == Step::post || step == Step::post_receive || step == Step::timer || step == Step::modify_to_error;
}

/// What can be next is found by trying: whether there is a packet to send is the card's decision.
class Moves {
  public:
    template <typename World, typename Reached>
    void each(const World& world, World& scratch, const Reached& reached) {
        bool quiet = true;
        bool fresh = false;  // `scratch` is as `world`
        for (std::size_t number = 0; number < kSteps; ++number) {
            const auto step = static_cast<Step>(number);
            const std::uint8_t variants = world.variants(step);
            for (std::uint8_t of = 0; of < variants; ++of) {
                if (!std::exchange(fresh, true)) scratch = world;
                const Outcome outcome = scratch.apply(step, of, quiet);
                if (outcome == Outcome::impossible) continue;
                fresh = false;
                if (outcome == Outcome::in_vain) continue;
                ++steps[number];
                const bool costs = outcome == Outcome::at_a_cost;
                if (!reached({step, of, costs}, costs, scratch.broken())) return;
                quiet = quiet && waits_for_nobody(step);
            }
        }
    }
    template <typename World>
    void entered(const World& /*world*/) {}

    std::array<std::size_t, kSteps> steps{};
};

template <typename World, typename Plan>
Explored search_in(const Plan& workload, std::size_t max_states, const explore::Progressing& progressing) {
    Moves moves;
    explore::BreadthFirst<World, Move, Moves> search(World(workload), moves, max_states,
                                                     "V-I11: from here there is no way to the end");
    explore::Found<Move> found = search.run(progressing);
    return {std::move(found), moves.steps};
}

template <typename World, typename Plan>
std::vector<std::string> words_of(const Plan& workload, const std::vector<Move>& trace) {
    std::vector<std::string> lines;
    World world(workload);
    for (const Move& move : trace) {
        const bool early = move.step == Step::timer && move.at_a_cost;
        lines.push_back(world.in_words(move.step, move.of) + (early ? " early" : ""));
        world.apply(move.step, move.of, !move.at_a_cost);
        if (const std::string broken = world.broken(); !broken.empty()) lines.push_back("  ! " + broken);
    }
    return lines;
}

}  // namespace

Explored search(const Workload& workload, std::size_t max_states, const explore::Progressing& progressing) {
    return search_in<ReliableWorld>(workload, max_states, progressing);
}

Explored search(const UnreliableWorkload& workload, std::size_t max_states, const explore::Progressing& progressing) {
    return search_in<UnreliableWorld>(workload, max_states, progressing);
}

std::vector<std::string> in_words(const Workload& workload, const std::vector<Move>& trace) {
    return words_of<ReliableWorld>(workload, trace);
}

std::vector<std::string> in_words(const UnreliableWorkload& workload, const std::vector<Move>& trace) {
    return words_of<UnreliableWorld>(workload, trace);
}

}  // namespace rnicsim::rc
