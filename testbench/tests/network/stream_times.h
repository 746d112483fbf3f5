// SPDX-License-Identifier: Apache-2.0
// How long a message of a stream takes between two hosts, and how fast a long one is.
#pragma once

#include "testbench/tests/network/stream_pair.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>

#include <optional>

namespace rnicsim {

/// What the preset xeon_2018 says.
inline void set_xeon(RunConfig& config, unsigned side) {
    VerbsHostConfig& host = verbs_of(config, side).host;
    const auto cycles = [&](Time time) { return host.clock.edge(time); };
    host.interrupt_latency = cycles(kNanosecond * 800);
    host.cpu.wake = cycles(kNanosecond * 1200);
    host.cpu.event_read = cycles(kNanosecond * 300);
    host.cpu.arm = cycles(kNanosecond * 150);
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

struct Round {
    Time one_way;  ///< half of it
    Time begun;
};
/// A message of 64 B back and forth, `rounds` times: the last round.
inline Round last_round(const RunConfig& config, unsigned rounds = 4) {
    const std::optional<Round> took = in_child([&] {
        StreamPair pair(config);
        constexpr std::uint32_t kBytes = 64;
        Time begun;
        Round round;
        unsigned left = rounds;
        const auto clock = verbs_of(config, 0).host.clock;
        for (unsigned side = 0; side < 2; ++side) {
            pair.programs.at(side).readable = [&, side](Cycle now, StreamId stream, std::uint32_t) {
                pair.stacks.at(side)->read(now, stream, pair.own(side), kBytes);
            };
            pair.programs.at(side).read = [&, side](Cycle now, StreamId stream, std::uint32_t) {
                if (side == 0) {
                    round = {Time{(clock.time(now) - begun).ps / 2}, begun};
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
        return round;
    });
    REQUIRE(took);
    return *took;
}
inline Time one_way(const RunConfig& config) { return last_round(config).one_way; }

/// Gb/s of `calls` messages of 4 MiB.
inline double bulk(const RunConfig& config, unsigned calls = 16) {
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

}  // namespace rnicsim
