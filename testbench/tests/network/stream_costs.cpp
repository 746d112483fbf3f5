// SPDX-License-Identifier: Apache-2.0
// What streams cost, and how fast they are.
#include "testbench/tests/network/stream_times.h"

#include <catch2/catch_test_macros.hpp>

using namespace rnicsim;

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
