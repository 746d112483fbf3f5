// Breadth-first search over all that can happen, to the end or to the first breach of a rule.
#pragma once

#include "model/rnic/drp/transport_engine.h"
#include "testbench/explore/action.h"
#include "testbench/explore/bounds.h"

#include <bitset>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace rnicsim::explore {

struct Result {
    std::size_t states = 0;
    std::size_t edges = 0;  ///< steps tried
    std::size_t depth = 0;  ///< steps from the start to the farthest state
    std::size_t bytes = 0;  ///< of memory for states, edges and the way to each state, without the frontier
    double seconds = 0;
    bool exhaustive = false;  ///< neither max_states nor a breach ended the search early
    std::bitset<static_cast<std::size_t>(TransportCount::count)> reached;  ///< what has happened somewhere
    std::string breach;                                                    ///< the broken rule; empty = none
    std::vector<Action> trace;                                             ///< the shortest way there
};

/// Called now and then: states seen, states still to be expanded.
using Progressing = std::function<void(std::size_t states, std::size_t waiting)>;

Result search(const Setting& setting, const Progressing& progressing);

}  // namespace rnicsim::explore
