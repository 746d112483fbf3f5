#include "testbench/explore/search.h"

#include "testbench/explore/state_set.h"
#include "testbench/explore/world.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

namespace rnicsim::explore {
namespace {

using Number = StateSet::Number;

/// Worlds to be expanded. The memory of the level before last is reused: that saves most allocations.
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

/// How a state was first reached.
struct Arrival {
    Number from = 0;
    Action by;
};

class Search {
  public:
    explicit Search(const Setting& setting) : setting_(setting), scratch_(setting) {}

    Result run(const Progressing& progressing) {
        const auto started = std::chrono::steady_clock::now();
        enter(scratch_, 0, {});
        Frontier level;
        while (next_.size() != 0 && result_.breach.empty() && set_.size() < setting_.bounds.max_states) {
            std::swap(level, next_);
            next_.clear();
            for (std::size_t i = 0; i < level.size() && result_.breach.empty(); ++i) {
                if (set_.size() >= setting_.bounds.max_states) break;
                expand(level[i]);
                if (progressing && edges_from_.size() % kBetween == 0) {
                    progressing(set_.size(), level.size() - i + next_.size());
                }
            }
            if (next_.size() != 0) ++result_.depth;
        }
        result_.exhaustive = edges_from_.size() == set_.size() && result_.breach.empty();  // every state was expanded
        if (result_.exhaustive) look_for_dead_ends();
        result_.states = set_.size();
        result_.bytes = set_.bytes() + arrivals_.capacity() * sizeof(Arrival) +
                        (edges_.capacity() + edges_from_.capacity()) * sizeof(Number) + ends_.capacity() / 8;
        result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        return std::move(result_);
    }

  private:
    static constexpr std::size_t kBetween = 1U << 14U;

    Number enter(const World& world, Number from, Action by) {
        const auto [number, fresh] = set_.insert(digest(world));
        if (fresh) {
            arrivals_.push_back({from, by});
            ends_.push_back(world.over());
            next_.push(world);
            note_reached(world);
        }
        return number;
    }

    void note_reached(const World& world) {
        for (std::size_t i = 0; i < result_.reached.size(); ++i) {
            const auto count = static_cast<TransportCount>(i);
            const auto happened = [count](const End& end) { return end.logic.count(count) != 0; };
            if (std::ranges::any_of(world.ends(), happened)) result_.reached.set(i);
        }
    }

    /// States are expanded in the order of their numbers.
    void expand(const World& world) {
        const auto here = static_cast<Number>(edges_from_.size());
        edges_from_.push_back(edges_.size());
        world.actions(actions_);
        for (const Action& action : actions_) {
            ++result_.edges;
            scratch_ = world;  // an assignment: no memory is allocated for the many states that are not new
            const bool fault = world.cost(action) != 0;
            std::string breach = scratch_.apply(action);
            if (!breach.empty()) {
                result_.breach = std::move(breach);
                result_.trace = way_to(here);
                result_.trace.push_back(action);
                return;
            }
            const Number there = enter(scratch_, here, action);
            if (!fault) edges_.push_back(there);
        }
    }

    [[nodiscard]] std::vector<Action> way_to(Number state) const {
        std::vector<Action> way;
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
        if (stuck == ends.end()) return;
        result_.breach = "from here the transfers cannot end and leave nothing behind";
        result_.trace = way_to(static_cast<Number>(stuck - ends.begin()));
    }

    const Setting& setting_;
    World scratch_;
    StateSet set_;
    std::vector<Arrival> arrivals_;  // by state
    std::vector<bool> ends_;         // by state: all transfers are over
    std::vector<Number> edges_;      // targets of steps without a fault, state by state
    std::vector<std::size_t> edges_from_;
    Frontier next_;
    std::vector<Action> actions_;
    Result result_;
};

}  // namespace

Result search(const Setting& setting, const Progressing& progressing) { return Search(setting).run(progressing); }

}  // namespace rnicsim::explore
