#include "testbench/explore/rc/search.h"

#include <utility>

namespace rnicsim::rc {
namespace {

/// Only these can be next: nothing is under way, and a timer is on time.
bool waits_for_nobody(Step step) { return step == Step::post || step == Step::post_receive; }

/// What can be next is found by trying: whether there is a packet to send is the card's decision.
class Moves {
  public:
    template <typename World, typename Reached>
    void each(const World& world, World& scratch, const Reached& reached) {
        bool quiet = true;
        for (std::size_t number = 0; number < kSteps; ++number) {
            const auto step = static_cast<Step>(number);
            scratch = world;
            if (!scratch.apply(step, quiet)) continue;
            ++steps[number];
            const Move move{step, step == Step::timer && !quiet};
            if (!reached(move, is_fault(step) || move.early, scratch.broken())) return;
            quiet = quiet && waits_for_nobody(step);
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
        lines.push_back(world.in_words(move.step) + (move.early ? " early" : ""));
        world.apply(move.step, !move.early);
        if (const std::string broken = world.broken(); !broken.empty()) lines.push_back("  ! " + broken);
    }
    return lines;
}

}  // namespace

Explored search(const Workload& workload, std::size_t max_states, const explore::Progressing& progressing) {
    return search_in<PairWorld>(workload, max_states, progressing);
}

Explored search(const UnreliableWorkload& workload, std::size_t max_states, const explore::Progressing& progressing) {
    return search_in<UnreliableWorld>(workload, max_states, progressing);
}

std::vector<std::string> in_words(const Workload& workload, const std::vector<Move>& trace) {
    return words_of<PairWorld>(workload, trace);
}

std::vector<std::string> in_words(const UnreliableWorkload& workload, const std::vector<Move>& trace) {
    return words_of<UnreliableWorld>(workload, trace);
}

}  // namespace rnicsim::rc
