// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/search.h"

#include "testbench/explore/digest.h"
#include "testbench/explore/world.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace rnicsim::explore {
namespace {

/// What can be next in DRP's world, and what has happened in all of it.
class Moves {
  public:
    template <typename Reached>
    void each(const World& world, World& scratch, const Reached& reached) {
        world.actions(actions_);
        for (const Action& action : actions_) {
            scratch = world;  // an assignment: no memory is allocated for the many states that are not new
            const bool fault = world.cost(action) != 0;
            if (!reached(action, fault, scratch.apply(action))) return;
        }
    }
    void entered(const World& world) {
        for (std::size_t i = 0; i < happened.size(); ++i) {
            const auto count = static_cast<TransportCount>(i);
            const auto has = [count](const End& end) { return end.logic.count(count) != 0; };
            if (std::ranges::any_of(world.ends(), has)) happened.set(i);
        }
    }

    decltype(Result::reached) happened;

  private:
    std::vector<Action> actions_;
};

}  // namespace

Result search(const Setting& setting, const Progressing& progressing) {
    Moves moves;
    BreadthFirst<World, Action, Moves> search(World(setting), moves, setting.bounds.max_states,
                                              "from here the transfers cannot end and leave nothing behind");
    Found<Action> found = search.run(progressing);
    return {std::move(found), moves.happened};
}

}  // namespace rnicsim::explore
