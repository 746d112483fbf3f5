// SPDX-License-Identifier: Apache-2.0
// Every order of events of small workloads (testbench/explore/rc): no invariant breaks, and from each state
// the end can be reached without further faults.
#include "testbench/explore/rc/search.h"
#include "testbench/explore/rc/standard_set.h"
#include "testbench/tests/verbs/explored.h"

#include <catch2/catch_test_macros.hpp>

#include <span>

namespace rnicsim::rc {
namespace {

constexpr std::array kAllVerbs{Verb::send, Verb::write, Verb::write_imm, Verb::read, Verb::fetch_add};
/// First messages of pairs, where all of them would take long: one that takes a receive WQE, one that is answered.
constexpr std::array kSample{Verb::send, Verb::read};
std::span<const Verb> first_verbs() { return all_of_it() ? std::span<const Verb>(kAllVerbs) : kSample; }

std::size_t explore_singles(std::uint32_t packets, std::string_view policy, std::uint32_t faults = 2) {
    std::size_t states = 0;
    for (const Verb verb : kAllVerbs) {
        Workload w;
        w.messages = {verb};
        w.packets = w.window = packets;
        w.faults = faults;
        w.retransmission = &retransmission(policy);
        INFO("verb " << static_cast<int>(verb));
        const Explored e = search(w);
        CHECK(broken(e, w) == "");  // NOLINT(readability-container-size-empty): a failure shows the text
        CHECK(e.states > 20);
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
            const Explored e = search(w);
            REQUIRE(broken(e, w) == "");  // NOLINT(readability-container-size-empty): a failure shows the text
            states += e.states;
        }
    }
    return states;
}

std::size_t explore(const std::vector<Workload>& all) {
    std::size_t states = 0;
    for (const Workload& w : all) {
        INFO(describe(w));
        const Explored e = search(w);
        REQUIRE(broken(e, w) == "");  // NOLINT(readability-container-size-empty): a failure shows the text
        states += e.states;
    }
    return states;
}

/// Two ask, without a fault, or with one.
std::size_t explore_two(Requesters requesters) {
    Workload bounds;
    bounds.requesters = requesters;
    bounds.faults = all_of_it() ? 1 : 0;
    return explore(meetings_of(bounds));
}

/// Without a fault: ERR or a deregistration, whenever it may be.
std::size_t explore_disturbed(Requesters requesters, std::string_view policy = "go_back_n") {
    std::size_t states = 0;
    for (const bool to_error : {true, false}) {
        Workload bounds;
        bounds.requesters = requesters;
        bounds.faults = 0;
        bounds.to_error = to_error;
        bounds.deregister = !to_error;
        bounds.retransmission = &retransmission(policy);
        states += explore(requesters == Requesters::one ? pairs_of(bounds) : meetings_of(bounds));
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

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: ... with go_back_0, single messages", "[verbs]") {
    // One fault: with two, what is left of an answer to the first try is taken for a loss, and no try is left (V-I10).
    CHECK(explore_singles(3, "go_back_0", 1) > 1'000);
}

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: ... with selective_repeat, single messages",
          "[verbs]") {
    CHECK(explore_singles(all_of_it() ? 4 : 3, "selective_repeat") > 10'000);
}

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: ... with selective_repeat, pairs to one place",
          "[verbs]") {
    // Only behind a WRITE may something land where that one's missing packet will (V-S11).
    constexpr std::array kFirsts{Verb::send, Verb::write, Verb::read};
    const std::span<const Verb> firsts = all_of_it() ? std::span<const Verb>(kAllVerbs) : kFirsts;
    CHECK(explore_pairs(4, 2, "selective_repeat", false, 2, firsts) > 100'000);
}

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: ... with selective_repeat, pairs to two places",
          "[verbs]") {
    constexpr std::array kFirsts{Verb::send, Verb::write};
    const std::span<const Verb> firsts = all_of_it() ? std::span<const Verb>(kAllVerbs) : kFirsts;
    CHECK(explore_pairs(4, 1, "selective_repeat", true, 3, firsts) > 100'000);
}

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: both ends ask, every order", "[verbs]") {
    CHECK(explore_two(Requesters::both_ends) > 10'000);
}

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11, V-S5: two QPs with an SRQ, every order", "[verbs]") {
    CHECK(explore_two(Requesters::shared) > 10'000);
}

TEST_CASE("V-I5, V-I6, V-I7, V-I10, V-I11, V-Q2, V-S6: ERR or a deregistration at any time", "[verbs]") {
    CHECK(explore_disturbed(Requesters::one) > 100'000);
    CHECK(explore_disturbed(Requesters::one, "selective_repeat") > 100'000);
}

TEST_CASE("V-I5, V-I6, V-I7, V-I10, V-I11, V-Q2, V-S6: ... while both ends ask", "[verbs]") {
    CHECK(explore_disturbed(Requesters::both_ends) > 100'000);
}

TEST_CASE("V-I5, V-I6, V-I7, V-I10, V-I11, V-Q2, V-S5, V-S6: ... while two QPs have an SRQ", "[verbs]") {
    CHECK(explore_disturbed(Requesters::shared) > 100'000);
}

TEST_CASE("V-I7, V-I10, V-I11, V-S5: fewer receive WQEs than messages, an RNR NAK may be the last one", "[verbs]") {
    constexpr std::array kTakers{Verb::send, Verb::write_imm};
    std::size_t states = 0;
    for (const std::uint32_t receives : {0U, 1U}) {
        Workload bounds;
        bounds.rnr = 1;
        bounds.receives = receives;
        states += explore(pairs_of(bounds, kTakers));
        bounds.faults = 0;
        for (const Requesters two : {Requesters::both_ends, Requesters::shared}) {
            bounds.requesters = two;
            states += explore(meetings_of(bounds));
        }
    }
    CHECK(states > 100'000);
}

TEST_CASE("V-I2, V-I7, V-I10, V-I11, V-U1, V-U2, V-U3: UC SEND and WRITE, UD SEND, every order, two faults",
          "[verbs]") {
    const auto states = [](Service service, std::vector<Verb> messages, std::uint32_t packets) {
        UnreliableWorkload w{service, std::move(messages), packets, 2};
        const Explored e = search(w);
        INFO("service " << static_cast<int>(service) << ", " << packets << " packets");
        CHECK(broken(e, w) == "");  // NOLINT(readability-container-size-empty): a failure shows the text
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
