// Every order of events of small workloads (pair_world.h, unreliable_world.h): no invariant breaks, and from each state
// the end can be reached without further faults.
#include "testbench/tests/verbs/pair_world.h"
#include "testbench/tests/verbs/unreliable_world.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <span>
#include <unordered_map>

namespace rnicsim::rc {
namespace {

struct Explored {
    std::size_t states = 0;
    std::string broken;  ///< with the steps that lead there
};

std::string way_to(std::size_t state, const std::vector<std::pair<std::size_t, Step>>& arrivals) {
    std::string steps;
    for (; state != 0; state = arrivals[state].first) {
        steps = " " + std::to_string(static_cast<int>(arrivals[state].second)) + steps;
    }
    return " by steps" + steps;
}

/// Breadth first, so that the way to a breach is the shortest.
template <typename World, typename Plan>
Explored explore(const Plan& workload) {
    std::unordered_map<std::string, std::size_t> numbers;
    std::vector<std::pair<std::size_t, Step>> arrivals;
    std::vector<std::vector<std::size_t>> before;  // by state: those that lead to it
    std::vector<std::size_t> ends;
    std::deque<World> frontier;
    Explored result;
    const auto enter = [&](World&& world, std::size_t from, Step by) {
        const auto [at, fresh] = numbers.try_emplace(world.key(), numbers.size());
        if (fresh) {
            arrivals.emplace_back(from, by);
            before.emplace_back();
            if (world.over()) ends.push_back(at->second);
            if (result.broken.empty() && !world.broken().empty()) {
                result.broken = world.broken() + way_to(at->second, arrivals);
            }
            frontier.push_back(std::move(world));
        }
        before[at->second].push_back(from);
    };
    enter(World(workload), 0, Step::post);
    for (std::size_t number = 0; !frontier.empty() && result.broken.empty(); ++number) {
        const World world = std::move(frontier.front());
        frontier.pop_front();
        bool quiet = true;
        for (unsigned s = 0; s < static_cast<unsigned>(Step::count); ++s) {
            const auto step = static_cast<Step>(s);
            World next = world;
            if (!next.apply(step, quiet)) continue;
            quiet = quiet && (step == Step::post || step == Step::post_receive);
            enter(std::move(next), number, step);
        }
    }
    result.states = numbers.size();
    // Backwards from the ends: what is not met has no way there.
    std::vector<bool> can_end(result.states);
    std::vector<std::size_t> todo = ends;
    while (!todo.empty()) {
        const std::size_t state = todo.back();
        todo.pop_back();
        if (can_end[state]) continue;
        can_end[state] = true;
        todo.insert(todo.end(), before[state].begin(), before[state].end());
    }
    for (std::size_t state = 0; state < result.states && result.broken.empty(); ++state) {
        if (!can_end[state]) result.broken = "V-I11: no way to the end" + way_to(state, arrivals);
    }
    return result;
}

/// The largest workloads are explored by scripts/test --all only.
bool all_of_it() {
    if (std::getenv("RNICSIM_ALL") != nullptr) return true;
    std::puts("sampled: fewer packets and pairs; RNICSIM_ALL=1 explores all");
    return false;
}

constexpr std::array kAllVerbs{Verb::send, Verb::write, Verb::write_imm, Verb::read, Verb::fetch_add};
/// First messages of pairs, where all of them would take long: one that takes a receive WQE, one that is answered.
constexpr std::array kSample{Verb::send, Verb::read};
std::span<const Verb> first_verbs() { return all_of_it() ? std::span<const Verb>(kAllVerbs) : kSample; }

std::size_t explore_singles(std::uint32_t packets, std::string_view policy) {
    std::size_t states = 0;
    for (const Verb verb : kAllVerbs) {
        Workload w;
        w.messages = {verb};
        w.packets = w.window = packets;
        w.faults = 2;
        w.retransmission = &retransmission(policy);
        INFO("verb " << static_cast<int>(verb));
        const Explored e = explore<PairWorld>(w);
        CHECK(e.broken == "");  // NOLINT(readability-container-size-empty): a failure shows the text
        CHECK(e.states > 100);
        states += e.states;
    }
    return states;
}

std::size_t explore_pairs(std::uint32_t window, std::uint32_t rd_atomic, std::string_view policy, bool apart = false,
                          std::uint32_t packets = 2, std::span<const Verb> firsts = kAllVerbs) {
    std::size_t states = 0;
    for (const Verb first : firsts) {
        for (const Verb second : kAllVerbs) {
            Workload w;
            w.messages = {first, second};
            w.window = window;
            w.rd_atomic = rd_atomic;
            w.apart = apart;
            w.packets = packets;
            w.retransmission = &retransmission(policy);
            INFO("verbs " << static_cast<int>(first) << ", " << static_cast<int>(second));
            const Explored e = explore<PairWorld>(w);
            REQUIRE(e.broken == "");  // NOLINT(readability-container-size-empty): a failure shows the text
            states += e.states;
        }
    }
    return states;
}

}  // namespace

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: single messages, every order, two faults",
          "[verbs]") {
    explore_singles(3, "go_back_n");
}

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: pairs of messages, every order, one fault",
          "[verbs]") {
    CHECK(explore_pairs(3, 1, "go_back_n") > 10'000);
}

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: ... with go_back_0 and two READs at once",
          "[verbs]") {
    CHECK(explore_pairs(3, 2, "go_back_0", false, 2, first_verbs()) > 10'000);
}

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: ... with selective_repeat, single messages",
          "[verbs]") {
    CHECK(explore_singles(all_of_it() ? 4 : 3, "selective_repeat") > 10'000);
}

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: ... with selective_repeat, pairs to one place",
          "[verbs]") {
    CHECK(explore_pairs(4, 2, "selective_repeat", false, 2, first_verbs()) > 100'000);
}

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: ... with selective_repeat, pairs to two places",
          "[verbs]") {
    constexpr std::array kWrites{Verb::write};
    const std::span<const Verb> firsts = all_of_it() ? std::span<const Verb>(kAllVerbs) : kWrites;
    CHECK(explore_pairs(4, 1, "selective_repeat", true, 3, firsts) > 100'000);
}

TEST_CASE("V-I2, V-I7, V-I10, V-I11, V-U1, V-U2, V-U3: UC SEND and WRITE, UD SEND, every order, two faults",
          "[verbs]") {
    const auto states = [](Service service, std::vector<Verb> messages, std::uint32_t packets) {
        UnreliableWorkload w{service, std::move(messages), packets, 2};
        const Explored e = explore<UnreliableWorld>(w);
        INFO("service " << static_cast<int>(service) << ", " << packets << " packets");
        CHECK(e.broken == "");  // NOLINT(readability-container-size-empty): a failure shows the text
        return e.states;
    };
    using enum Verb;
    constexpr std::array kUcVerbs{send, write, write_imm};
    std::size_t all = 0;
    for (const Verb first : kUcVerbs) {
        all += states(Service::unreliable, {first}, 3);
        for (const Verb second : kUcVerbs) all += states(Service::unreliable, {first, second}, 2);
    }
    all += states(Service::datagram, {send, send, send}, 1);
    CHECK(all > 100'000);
}

}  // namespace rnicsim::rc
