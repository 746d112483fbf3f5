// SPDX-License-Identifier: Apache-2.0
// Threads of a host's program on its cores: who waits for whom, to the cycle.
#include "model/rnic/rc/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

using namespace rnicsim;

namespace {

constexpr std::size_t kConnections = 4;

struct Told {
    std::array<Time, kConnections> begins{};  ///< by connection: its first message, behind the first of all
    std::uint64_t post = 0, switches = 0;     ///< of a, ps
};

/// Four connections, each of which posts a message at once.
Told first_messages(std::uint32_t threads, std::uint32_t cores, std::int64_t context_switch) {
    const std::optional<Told> seen = in_child([&] {
        RunConfig config = pair_of("operation: write, size: 8 B, connections: 4, depth: 1, transfers: 1");
        VerbsHostConfig& host = verbs_of(config, 0).host;
        host.threads = threads;
        host.cpu.cores = cores;
        host.cpu.context_switch = Cycle{context_switch};
        const RunResult result = simulate(config);
        if (result.samples.size() != kConnections) throw RunError("messages are missing");
        Told all;
        for (std::size_t i = 0; i < kConnections; ++i)
            all.begins.at(i) = result.samples[i].start - result.samples[0].start;
        if (threads > 1) {
            all.post = counter(result, "a.host.worked_post_ps");
            all.switches = counter(result, "a.host.worked_context_switch_ps");
        }
        return all;
    });
    REQUIRE(seen);
    return *seen;
}

std::array<std::int64_t, kConnections> cycles_of(const Told& seen) {
    std::array<std::int64_t, kConnections> all{};
    for (std::size_t i = 0; i < kConnections; ++i) all.at(i) = kGmiiClock.cycle(seen.begins.at(i)).n;
    return all;
}
const std::int64_t kPost = (VerbsCosts{}.post + VerbsCosts{}.push).n;

}  // namespace

TEST_CASE("messages of a thread wait for each other, those of threads on other cores do not", "[network]") {
    using Cycles = std::array<std::int64_t, kConnections>;
    CHECK(cycles_of(first_messages(1, 1, 0)) == Cycles{0, kPost, 2 * kPost, 3 * kPost});
    CHECK(cycles_of(first_messages(2, 2, 0)) == Cycles{0, 0, kPost, kPost});
    CHECK(cycles_of(first_messages(4, 4, 0)) == Cycles{0, 0, 0, 0});
    // Threads 0 and 2 share a core, and so do 1 and 3.
    CHECK(cycles_of(first_messages(4, 2, 0)) == Cycles{0, 0, kPost, kPost});
    // What no thread runs on does nothing.
    CHECK(cycles_of(first_messages(2, 4, 0)) == Cycles{0, 0, kPost, kPost});
}

TEST_CASE("a core turns to another thread each time that one has something to do", "[network]") {
    const auto cycle = static_cast<std::uint64_t>(kGmiiClock.period().ps);
    const Told own = first_messages(4, 4, 7);
    CHECK(own.switches == 0);
    CHECK(own.post == 4 * static_cast<std::uint64_t>(kPost) * cycle);
    CHECK(cycles_of(own) == std::array<std::int64_t, kConnections>{0, 0, 0, 0});
    // Posts of threads 0, 1, 0, 1, and their completions in the same order.
    const Told shared = first_messages(2, 1, 7);
    CHECK(shared.switches == 7 * 7 * cycle);
    CHECK(cycles_of(shared) == std::array<std::int64_t, kConnections>{0, kPost, 2 * kPost + 7, 3 * kPost + 14});
}

TEST_CASE("a core turns to a thread that it wakes by waking it", "[network]") {
    const auto cycle = static_cast<std::uint64_t>(kGmiiClock.period().ps);
    for (const std::int64_t wake : {0, 5}) {
        const std::optional<std::array<std::uint64_t, 3>> seen = in_child([&] {
            RunConfig config = pair_of("operation: write, size: 8 B, connections: 2, depth: 1, transfers: 20");
            VerbsHostConfig& host = verbs_of(config, 0).host;
            host.events = true;
            host.threads = 2;
            host.cpu.context_switch = Cycle{7};
            host.cpu.wake = Cycle{wake};
            const RunResult result = simulate(config);
            return std::array{counter(result, "a.host.interrupts"), counter(result, "a.host.worked_wake_ps"),
                              counter(result, "a.host.worked_context_switch_ps")};
        });
        REQUIRE(seen);
        const auto [interrupts, woken, switches] = *seen;
        CHECK(interrupts == 40);
        CHECK(woken <= interrupts * 5 * cycle);
        CHECK((woken == 0) == (wake == 0));
        CHECK(switches > 0);
        // Each turn is a switch or a waking, and the two threads take turns.
        CHECK(woken / 5 + switches / 7 >= 39 * cycle);
        CHECK(switches <= 41 * 7 * cycle);
    }
}

TEST_CASE("threads of both ends get all messages through, polled and by events, with receives of their own or shared",
          "[network]") {
    for (const bool events : {false, true}) {
        for (const std::uint32_t shared : {0U, 9U}) {
            for (const char* const item :
                 {"operation: send, size: 700 B, pattern: ping_pong, connections: 5, transfers: 20",
                  "mix: {write: 40 %, write_imm: 20 %, send: 20 %, read: 20 %}, sizes: [1 B, 3001 B], connections: 5, "
                  "transfers: 40"}) {
                RunConfig config = pair_of(item, "personality: rc, rc: {timeout: 6, min_rnr_timer: 1}", "loss: 1 %");
                for (VerbsEndConfig& end : verbs_ends(config)) {
                    end.host.events = events;
                    end.host.shared_receives = shared;
                    end.host.threads = 3;
                    end.host.cpu.cores = 2;
                    end.host.cpu.wake = end.host.cpu.context_switch = Cycle{20};
                }
                const Outcome outcome = apart([&] {
                    const RunResult result = simulate(config);
                    for (const Sample& of : result.samples)
                        if (of.failed()) throw RunError("a message has failed");
                    return result;
                });
                INFO(item << ", events " << events << ", shared " << shared);
                CHECK(outcome.ran);
            }
        }
    }
}

TEST_CASE("receives that threads on several cores post to a shared queue are taken as they came into its ring",
          "[network]") {
    for (const std::uint32_t cores : {1U, 2U, 3U}) {
        for (const std::uint32_t limit : {0U, 8U}) {
            RunConfig config = pair_of("operation: send, connections: 6, size: 64 B, depth: 8, transfers: 300",
                                       "profile: cx5_100g", "rate: 100 Gbps");
            for (VerbsEndConfig& end : verbs_ends(config)) {
                end.host.threads = 3;
                end.host.cpu.cores = cores;
                end.host.shared_receives = 24;
                end.host.srq_limit = limit;
                end.host.costs.receive = Cycle{500};  // the others' come in between
            }
            const Outcome outcome = apart([&] { return simulate(config); });
            INFO(cores << " cores, limit " << limit);
            CHECK(outcome.ran);
            CHECK(outcome.completed == 1800);
        }
    }
}

TEST_CASE("turns of a core are waited for before a run is given up", "[network]") {
    RunConfig config = pair_of("operation: send, size: 64 B, connections: 2, depth: 1, transfers: 4",
                               "personality: rc, rc: {timeout: 3, retry_cnt: 7, min_rnr_timer: 1}");
    config.watchdog = kMicrosecond * 200;
    for (VerbsEndConfig& end : verbs_ends(config)) {
        end.host.threads = 2;
        end.host.cpu.context_switch = kGmiiClock.cycle(kMillisecond);
    }
    CHECK(apart([&] { return simulate(config); }).completed == 8);
}
