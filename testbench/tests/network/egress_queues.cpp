// SPDX-License-Identifier: Apache-2.0
// Which queue of a port is next, and who gets a mark.
#include "model/network/switch/egress_queues.h"
#include "model/network/switch/red.h"
#include "model/network/switch/switch_logic.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <random>

namespace rnicsim {
namespace {

SwitchConfig with(Scheduler scheduler, unsigned priorities, std::vector<std::uint32_t> weights = {}) {
    SwitchConfig config;
    config.scheduler = scheduler;
    config.priorities = priorities;
    config.weights = std::move(weights);
    return config;
}

QueuedFrame queued_frame(std::int64_t length, Time ready = {}, std::uint8_t of_class = 0) {
    return {.handle = 0, .length = length, .ready = ready, .ingress = 0, .traffic_class = of_class};
}

TEST_CASE("strict: the highest that is ready and not paused", "[network]") {
    EgressQueues queues(with(Scheduler::strict, 3));
    PauseState pauses(MacTiming{}, {});
    CHECK(queues.empty());
    CHECK_FALSE(queues.choose({}, pauses));
    queues.push(0, queued_frame(100));
    queues.push(1, queued_frame(100, {}, 4));
    queues.push(2, queued_frame(100, kMicrosecond * 5));
    CHECK(queues.choose({}, pauses) == 1);
    CHECK(queues.next_ready({}) == kMicrosecond * 5);
    CHECK(queues.choose(kMicrosecond * 5, pauses) == 2);
    CHECK(queues.next_ready(kMicrosecond * 5) == kEndOfTime);
    PauseFrame stop;
    stop.quanta[4] = 65'535;
    pauses.hears(stop, kMicrosecond * 6);
    queues.pop(2);
    CHECK(queues.choose(kMicrosecond * 6, pauses) == 0);
    queues.pop(0);
    CHECK_FALSE(queues.choose(kMicrosecond * 6, pauses));
    CHECK_FALSE(queues.empty());
}

/// Bytes that each queue gets of a million while all have frames.
std::array<double, 3> shares(EgressQueues& queues, const std::array<std::int64_t, 3>& lengths) {
    PauseState pauses(MacTiming{}, {});
    for (unsigned i = 0; i < 3; ++i) queues.push(i, queued_frame(lengths.at(i)));
    std::array<double, 3> bytes{};
    double all = 0;
    while (all < 3'000'000) {
        const unsigned next = queues.choose({}, pauses).value();
        const auto length = static_cast<double>(queues.pop(next).length);
        bytes.at(next) += length;
        all += length;
        queues.push(next, queued_frame(lengths.at(next)));
    }
    for (double& of : bytes) of /= all;
    return bytes;
}

TEST_CASE("deficit round robin: bytes by weight, whatever the lengths are", "[network]") {
    EgressQueues equal(with(Scheduler::drr, 3));
    for (const double share : shares(equal, {64, 1'518, 700})) CHECK(share == Catch::Approx(1.0 / 3).epsilon(0.01));
    EgressQueues weighted(with(Scheduler::drr, 3, {1, 2, 5}));
    const auto got = shares(weighted, {1'518, 90, 1'000});
    CHECK(got[0] == Catch::Approx(0.125).epsilon(0.01));
    CHECK(got[1] == Catch::Approx(0.25).epsilon(0.01));
    CHECK(got[2] == Catch::Approx(0.625).epsilon(0.01));
}

TEST_CASE("deficit round robin: who has nothing saves no credit", "[network]") {
    EgressQueues queues(with(Scheduler::drr, 2));
    PauseState pauses(MacTiming{}, {});
    for (int i = 0; i < 1'000; ++i) {  // queue 1 is empty for long
        queues.push(0, queued_frame(1'518));
        CHECK(queues.choose({}, pauses) == 0);
        queues.pop(0);
    }
    for (int i = 0; i < 40; ++i) queues.push(0, queued_frame(1'518)), queues.push(1, queued_frame(1'518));
    std::array<int, 2> got{};
    for (int i = 0; i < 20; ++i) {
        const unsigned next = queues.choose({}, pauses).value();
        queues.pop(next);
        ++got.at(next);
    }
    CHECK(got == std::array{10, 10});
    // A short frame leaves most of a quantum; who then has nothing loses it.
    EgressQueues others(with(Scheduler::drr, 2));
    others.push(1, queued_frame(64));
    others.pop(others.choose({}, pauses).value());
    CHECK_FALSE(others.choose({}, pauses));
    for (int i = 0; i < 4; ++i) others.push(0, queued_frame(1'400)), others.push(1, queued_frame(1'400));
    std::vector<unsigned> order;
    for (int i = 0; i < 6; ++i) {
        order.push_back(others.choose({}, pauses).value());
        others.pop(order.back());
    }
    for (std::size_t i = 1; i < order.size(); ++i) CHECK(order[i] != order[i - 1]);
}

TEST_CASE("marks: none up to kmin, linear, all from kmax on; by the rate unless it is said", "[network]") {
    EcnConfig ecn;
    ecn.kmin = 1'000;
    ecn.kmax = 3'000;
    ecn.pmax = 0.5;
    const MacTiming gigabit;
    CHECK(mark_chance(ecn, gigabit, 1'000) == 0);
    CHECK(mark_chance(ecn, gigabit, 2'000) == 0.25);
    CHECK(mark_chance(ecn, gigabit, 2'999) < 0.5);
    CHECK(mark_chance(ecn, gigabit, 3'000) == 1);
    const EcnConfig by_rate;
    CHECK(mark_chance(by_rate, MacTiming::of_rate(100'000'000'000), 400'000) == 0);
    CHECK(mark_chance(by_rate, MacTiming::of_rate(100'000'000'000), 1'000'000) == Catch::Approx(0.1));
    CHECK(mark_chance(by_rate, MacTiming::of_rate(100'000'000'000), 1'600'000) == 1);
    CHECK(mark_chance(by_rate, gigabit, 16'000) == 1);
}

/// Three ports; host i is at port i.
SwitchLogic three_ports(const SwitchConfig& config) {
    return {config, {std::vector<MacTiming>(3), {0, 1, 2}, std::vector<std::int64_t>(3)}};
}

TEST_CASE("with queues that nothing stops a switch is the one that knows its departures beforehand", "[network]") {
    SwitchConfig beforehand;
    beforehand.buffer = 20'000;
    SwitchConfig queued = beforehand;
    queued.ecn.at = EcnConfig::At::dequeue;
    REQUIRE(beforehand.first_come_first_served());
    REQUIRE_FALSE(queued.first_come_first_served());
    SwitchLogic one = three_ports(beforehand);
    SwitchLogic other = three_ports(queued);
    std::mt19937 draws(3);
    std::vector<Time> begins(20'000);
    std::vector<Time> begun(begins.size());
    Time now;
    for (std::uint32_t i = 0; i < begins.size(); ++i) {
        now += Time{static_cast<std::int64_t>(draws() % 8'000'000)};
        SwitchLogic::Arrival arrival{
            .port = draws() % 3, .length = 64 + static_cast<std::int64_t>(draws() % 1'455), .to = draws() % 3};
        arrival.handle = i;
        while (other.next() <= now) {
            const Time at = other.next();
            while (const auto departure = other.begins(at)) begun[departure->handle] = departure->begin;
        }
        const auto known = one.arrives(now, arrival);
        const auto waits = other.arrives(now, arrival);
        REQUIRE(known.dropped == waits.dropped);
        if (known.departure) begins[i] = known.departure->begin;
        REQUIRE(one.queued() == other.queued());
        REQUIRE(one.buffer().used() == other.buffer().used());
    }
    while (other.next() != kEndOfTime) {
        const Time at = other.next();
        while (const auto departure = other.begins(at)) begun[departure->handle] = departure->begin;
    }
    CHECK(begins == begun);
}

TEST_CASE("marks at dequeue see the queue with the frame itself, and of ECT frames only", "[network]") {
    for (const EcnConfig::At at : {EcnConfig::At::enqueue, EcnConfig::At::dequeue}) {
        SwitchConfig config;
        config.ecn = {.at = at, .kmin = 2'500, .kmax = 2'500, .pmax = 1};
        SwitchLogic logic = three_ports(config);
        std::vector<bool> marked;
        for (int i = 0; i < 5; ++i) {
            SwitchLogic::Arrival arrival{.port = 0, .length = 1'000, .to = 2};
            arrival.ecn_capable = i != 1 && i != 4;
            arrival.handle = static_cast<std::uint32_t>(i);
            CHECK_FALSE(logic.arrives(kMicrosecond, arrival).dropped);
        }
        while (logic.next() != kEndOfTime) {
            const Time now = logic.next();
            while (const auto departure = logic.begins(now)) marked.push_back(departure->marked);
        }
        // Queues of 1,000 to 5,000 B when they come, of 5,000 to 1,000 B when they go.
        CHECK(marked == (at == EcnConfig::At::enqueue ? std::vector{false, false, true, true, false}
                                                      : std::vector{true, false, true, false, false}));
        CHECK(logic.counters(2).marked == 2);
    }
}

TEST_CASE("cut-through: where the port is idle and not faster; a frame that cannot is stored", "[network]") {
    SwitchConfig config;
    config.mode = SwitchMode::cut_through;
    SwitchLogic logic(config, {{MacTiming{}, MacTiming{}, MacTiming::of_rate(10'000'000'000)}, {0, 1, 2}, {0, 0, 0}});
    const SwitchLogic::Arrival arrival{.port = 0, .length = 1'518, .to = 1};
    SwitchLogic::Arrival to_faster = arrival;
    to_faster.to = 2;
    CHECK_FALSE(logic.cuts_through(kMicrosecond, to_faster));
    SwitchLogic::Arrival from_faster = arrival;
    from_faster.port = 2;
    CHECK(logic.cuts_through(kMicrosecond, from_faster));
    SwitchLogic::Arrival to_nobody = arrival;
    to_nobody.to = 9;
    CHECK_FALSE(logic.cuts_through(kMicrosecond, to_nobody));
    CHECK(logic.cuts_through(kMicrosecond, arrival));
    const auto departure = logic.arrives(kMicrosecond, arrival).departure;
    REQUIRE(departure);
    CHECK(departure->begin == kMicrosecond * 3);
    const Time free = departure->end + MacTiming{}.gap();  // the frame is there the latency later
    CHECK_FALSE(logic.cuts_through(free - config.latency - Time{1}, from_faster));
    CHECK(logic.cuts_through(free - config.latency, from_faster));
}

}  // namespace
}  // namespace rnicsim
