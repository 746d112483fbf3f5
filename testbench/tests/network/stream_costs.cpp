// SPDX-License-Identifier: Apache-2.0
// What streams cost, and how fast they are.
#include "testbench/tests/network/stream_pair.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <optional>

using namespace rnicsim;

namespace {

/// What the preset xeon_2018 says.
void set_xeon(RunConfig& config, unsigned side) {
    VerbsHostConfig& host = verbs_of(config, side).host;
    const auto cycles = [&](Time time) { return host.clock.edge(time); };
    host.interrupt_latency = cycles(kNanosecond * 800);
    host.cpu.wake = cycles(kNanosecond * 1200);
    host.cpu.syscall = cycles(kNanosecond * 100);
    host.cpu.epoll = cycles(kNanosecond * 200);
    host.cpu.copy.base = cycles(kNanosecond * 30);
    host.cpu.copy.cold = 7'200'000'000;
    host.cpu.copy.warm = 50'000'000'000;
    host.tcp.tx = cycles(kNanosecond * 1900);
    host.tcp.rx = cycles(kNanosecond * 2000);
    host.tcp.frame = cycles(kNanosecond * 50);
    host.tcp.moderation = kNanosecond * 3600;
}

/// A message of 64 B back and forth, `rounds` times: half of the last round.
Time one_way(const RunConfig& config, unsigned rounds = 4) {
    const std::optional<Time> took = in_child([&] {
        StreamPair pair(config);
        constexpr std::uint32_t kBytes = 64;
        Time begun, round;
        unsigned left = rounds;
        const auto clock = verbs_of(config, 0).host.clock;
        for (unsigned side = 0; side < 2; ++side) {
            pair.programs.at(side).readable = [&, side](Cycle now, StreamId stream, std::uint32_t) {
                pair.stacks.at(side)->read(now, stream, pair.own(side), kBytes);
            };
            pair.programs.at(side).read = [&, side](Cycle now, StreamId stream, std::uint32_t) {
                if (side == 0) {
                    round = clock.time(now) - begun;
                    begun = clock.time(now);
                    if (--left == 0) return;
                }
                pair.stacks.at(side)->send(now, stream, pair.own(side), kBytes);
            };
        }
        pair.at_start(0, [&](Cycle now) {
            begun = clock.time(now);
            pair.stacks[0]->send(now, StreamId{0}, pair.own(0), kBytes);
        });
        pair.run(kMicrosecond * 1000);
        if (left != 0) throw std::runtime_error("rounds are missing");
        return Time{round.ps / 2};
    });
    REQUIRE(took);
    return *took;
}

/// Gb/s of `calls` messages of 4 MiB.
double bulk(const RunConfig& config, unsigned calls = 16) {
    const std::optional<double> rate = in_child([&] {
        StreamPair pair(config);
        constexpr std::uint32_t kBytes = 4U << 20U;
        unsigned left = calls;
        std::uint64_t got = 0;
        Cycle ended;
        pair.programs[0].sent = [&](Cycle now, StreamId stream) {
            if (--left != 0) pair.stacks[0]->send(now, stream, pair.own(0), kBytes);
        };
        const auto read = [&](Cycle now, StreamId stream) { pair.stacks[1]->read(now, stream, pair.own(1), kBytes); };
        pair.programs[1].readable = [&](Cycle now, StreamId stream, std::uint32_t) { read(now, stream); };
        pair.programs[1].read = [&](Cycle now, StreamId, std::uint32_t bytes) {
            got += bytes;
            ended = now;
        };
        pair.at_start(0, [&](Cycle now) { pair.stacks[0]->send(now, StreamId{0}, pair.own(0), kBytes); });
        pair.run(kMillisecond * 30);
        if (got != std::uint64_t{calls} * kBytes) throw std::runtime_error("got " + std::to_string(got));
        const Time took = verbs_of(config, 1).host.clock.time(ended);
        return static_cast<double>(got) * 8 / (static_cast<double>(took.ps) / 1000);
    });
    REQUIRE(rate);
    return *rate;
}

}  // namespace

TEST_CASE("L1: 64 B by interrupts take 12.0 us one way", "[network]") {
    RunConfig config = fast_pair();
    set_xeon(config, 0);
    set_xeon(config, 1);
    const Time took = one_way(config);
    INFO(took.ps);
    CHECK(took >= kNanosecond * 11'700);
    CHECK(took <= kNanosecond * 12'300);
}

TEST_CASE("L2: a core sends 47 Gb/s and receives 38 Gb/s", "[network]") {
    RunConfig sender = fast_pair(), receiver = fast_pair();
    set_xeon(sender, 0);
    set_xeon(receiver, 1);
    const double sends = bulk(sender), receives = bulk(receiver);
    INFO(sends << ' ' << receives);
    CHECK(sends >= 42.3);
    CHECK(sends <= 51.7);
    CHECK(receives >= 34.2);
    CHECK(receives <= 41.8);
}

namespace {

/// Half a round of 64 B with what `set` changes at both ends. Copies take no time but for their base; all else takes
/// some, so that no two things fall into one cycle of the card.
template <class Set>
Time round_with(const Set& set) {
    RunConfig config = fast_pair();
    for (unsigned side = 0; side < 2; ++side) {
        set_xeon(config, side);
        VerbsHostConfig& host = verbs_of(config, side).host;
        host.cpu.copy.warm = host.cpu.copy.cold = 0;
        set(host);
    }
    return one_way(config);
}

}  // namespace

TEST_CASE("each cost of a stream is in the time of a message, to the cycle", "[network]") {
    const Time none = round_with([](VerbsHostConfig&) {});
    const auto more = [&](const auto& set) { return (round_with(set) - none).ps; };
    // send() and read(), one of each.
    CHECK(more([](VerbsHostConfig& h) { h.cpu.syscall += Cycle{1000}; }) == 800'000);
    CHECK(more([](VerbsHostConfig& h) { h.cpu.copy.base += Cycle{1000}; }) == 800'000);
    CHECK(more([](VerbsHostConfig& h) { h.cpu.copy.warm = 160'000'000; }) == 800'000);
    CHECK(more([](VerbsHostConfig& h) {
              h.cpu.copy.cold = 160'000'000;
              h.cpu.copy.llc = 63;
          }) == 800'000);
    CHECK(more([](VerbsHostConfig& h) { h.cpu.copy.cold = 160'000'000; }) == 0);
    for (Cycle CpuConfig::*const cost : {&CpuConfig::epoll, &CpuConfig::wake})
        CHECK(more([&](VerbsHostConfig& h) { h.cpu.*cost += Cycle{1000}; }) == 400'000);
    for (Cycle TcpConfig::*const cost : {&TcpConfig::tx, &TcpConfig::rx, &TcpConfig::frame, &TcpConfig::extra_write})
        CHECK(more([&](VerbsHostConfig& h) { h.tcp.*cost += Cycle{1000}; }) == 400'000);
    CHECK(more([](VerbsHostConfig& h) { h.interrupt_latency += Cycle{1000}; }) == 400'000);
    // Of a time in the card, whole cycles of 3.2 ns.
    CHECK(more([](VerbsHostConfig& h) { h.tcp.moderation = h.tcp.moderation + Time{320'000}; }) == 320'000);
}

TEST_CASE("a stack in user space pays for no calls, interrupts or wakings, and polls", "[network]") {
    const auto user = [](const auto& set) {
        return round_with([&](VerbsHostConfig& h) {
            h.tcp.place = TcpPlace::user;
            set(h);
        });
    };
    const Time none = user([](VerbsHostConfig&) {});
    CHECK(user([](VerbsHostConfig& h) {
              h.cpu.syscall = h.cpu.epoll = h.cpu.wake = h.tcp.frame = Cycle{9000};
              h.interrupt_latency += Cycle{1000};
              h.tcp.moderation = kMicrosecond * 50;
          }) == none);
    CHECK(user([](VerbsHostConfig& h) {
              h.tcp.tx += Cycle{1000};
              h.tcp.rx += Cycle{1000};
          }) - none ==
          kNanosecond * 240);
    CHECK(user([](VerbsHostConfig& h) { h.costs.poll += Cycle{1000}; }) - none == kNanosecond * 400);
}
