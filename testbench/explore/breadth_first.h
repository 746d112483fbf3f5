// SPDX-License-Identifier: Apache-2.0
// Breadth-first search over all that can happen in a world, to the end or to the first breach of a rule, or past it to
// one breach of each rule. A world is a value; `Moves` says what can be next in it:
//   moves.each(world, scratch, reached): for each step makes of `scratch` the world behind it, and calls
//   reached(step, fault, breach), which returns whether to go on. `breach`: the rule that the step breaks, or nothing.
// moves.entered(world): a new state. digest(world) is found by its arguments; world.over(): nothing is left to be done.
#pragma once

#include "testbench/explore/state_set.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim::explore {

template <typename Step>
struct Breach {
    std::string rule;
    std::vector<Step> trace;  ///< the shortest way there
};

/// Does the search end with the first breach, or go on where no rule is broken, to the first breach of each?
enum class Until : std::uint8_t { first_breach, each_rule };

template <typename Step>
struct Found {
    std::size_t states = 0;
    std::size_t edges = 0;  ///< steps tried
    std::size_t depth = 0;  ///< steps from the start to the farthest state
    std::size_t bytes = 0;  ///< of memory for states, edges and the way to each state, without the frontier
    double seconds = 0;
    bool exhaustive = false;             ///< neither max_states nor a breach ended the search early
    std::vector<Breach<Step>> breaches;  ///< of each rule at most one, in the order in which they were found
    [[nodiscard]] bool broken() const { return !breaches.empty(); }
};

/// Called now and then: states seen, states still to be expanded.
using Progressing = std::function<void(std::size_t states, std::size_t waiting)>;

/// Worlds to be expanded. The memory of the level before last is reused: that saves most allocations.
template <typename World>
class Frontier {
  public:
    void push(const World& world) {
        if (used_ < worlds_.size()) {
            worlds_[used_] = world;
        } else {
            worlds_.push_back(world);
        }
        ++used_;
    }
    void clear() { used_ = 0; }
    [[nodiscard]] std::size_t size() const { return used_; }
    [[nodiscard]] const World& operator[](std::size_t i) const { return worlds_[i]; }

  private:
    std::deque<World> worlds_;
    std::size_t used_ = 0;
};

template <typename World, typename Step, typename Moves>
class BreadthFirst {
  public:
    /// `no_end`: the breach if from somewhere no end can be reached without further faults.
    BreadthFirst(const World& start, Moves& moves, std::size_t max_states, std::string no_end,
                 Until until = Until::first_breach)
        : scratch_(start), moves_(moves), max_states_(max_states), no_end_(std::move(no_end)), until_(until) {}

    Found<Step> run(const Progressing& progressing) {
        const auto started = std::chrono::steady_clock::now();
        enter(scratch_, 0, {});
        Frontier<World> level;
        while (next_.size() != 0 && !stops() && set_.size() < max_states_) {
            std::swap(level, next_);
            next_.clear();
            for (std::size_t i = 0; i < level.size() && !stops(); ++i) {
                if (set_.size() >= max_states_) break;
                expand(level[i]);
                if (progressing && edges_from_.size() % kBetween == 0) {
                    progressing(set_.size(), level.size() - i + next_.size());
                }
            }
            if (next_.size() != 0) ++found_.depth;
        }
        found_.exhaustive = edges_from_.size() == set_.size() && !stops();  // every state was expanded
        if (found_.exhaustive) look_for_dead_ends();
        found_.states = set_.size();
        found_.bytes = set_.bytes() + arrivals_.capacity() * sizeof(Arrival) +
                       (edges_.capacity() + edges_from_.capacity()) * sizeof(Number) + ends_.capacity() / 8;
        found_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        return std::move(found_);
    }

  private:
    using Number = StateSet::Number;
    static constexpr std::size_t kBetween = 1U << 14U;

    /// How a state was first reached.
    struct Arrival {
        Number from = 0;
        Step by{};
    };

    [[nodiscard]] bool stops() const { return until_ == Until::first_breach && found_.broken(); }

    Number enter(const World& world, Number from, Step by) {
        const auto [number, fresh] = set_.insert(digest(world));
        if (fresh) {
            arrivals_.push_back({from, by});
            ends_.push_back(world.over());
            next_.push(world);
            moves_.entered(world);
        }
        return number;
    }

    /// States are expanded in the order of their numbers.
    void expand(const World& world) {
        const auto here = static_cast<Number>(edges_from_.size());
        edges_from_.push_back(edges_.size());
        moves_.each(world, scratch_, [&](const Step& step, bool fault, std::string breach) {
            ++found_.edges;
            if (!breach.empty()) {
                note(std::move(breach), here, &step);
                if (!fault) ends_[here] = true;  // that it goes wrong is told already
                return !stops();
            }
            const Number there = enter(scratch_, here, step);
            if (!fault) edges_.push_back(there);
            return true;
        });
    }

    void note(std::string rule, Number state, const Step* last = nullptr) {
        if (std::ranges::find(found_.breaches, rule, &Breach<Step>::rule) != found_.breaches.end()) return;
        std::vector<Step> way = way_to(state);
        if (last != nullptr) way.push_back(*last);
        found_.breaches.push_back({std::move(rule), std::move(way)});
    }

    [[nodiscard]] std::vector<Step> way_to(Number state) const {
        std::vector<Step> way;
        for (; state != 0; state = arrivals_[state].from) way.push_back(arrivals_[state].by);
        std::ranges::reverse(way);
        return way;
    }

    /// From every state an end must be reachable, and without further faults. Most edges lead to later states, so a few
    /// sweeps from the last to the first are enough.
    void look_for_dead_ends() {
        std::vector<bool> ends = ends_;
        edges_from_.push_back(edges_.size());
        for (bool more = true; std::exchange(more, false);) {
            for (std::size_t s = ends.size(); s-- != 0;) {
                if (ends[s]) continue;
                const auto first = edges_.begin() + static_cast<std::ptrdiff_t>(edges_from_[s]);
                const auto last = edges_.begin() + static_cast<std::ptrdiff_t>(edges_from_[s + 1]);
                ends[s] = std::any_of(first, last, [&](Number there) { return ends[there]; });
                more = more || ends[s];
            }
        }
        const auto stuck = std::ranges::find(ends, false);
        if (stuck != ends.end()) note(no_end_, static_cast<Number>(stuck - ends.begin()));
    }

    World scratch_;
    Moves& moves_;
    std::size_t max_states_;
    std::string no_end_;
    Until until_;
    StateSet set_;
    std::vector<Arrival> arrivals_;  // by state
    std::vector<bool> ends_;         // by state: nothing is left to be done
    std::vector<Number> edges_;      // targets of steps without a fault, state by state
    std::vector<std::size_t> edges_from_;
    Frontier<World> next_;
    Found<Step> found_;
};

}  // namespace rnicsim::explore
