// SPDX-License-Identifier: Apache-2.0
// Contexts, regions and pages that are not on the card: whole runs. The rules one by one: tests/verbs/test_caches.cpp.
// Each run checks that what the card reads and writes was given to it (V-I1), and the order of what belongs to a QP.
#include "model/rnic/rc/dma_queue.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

constexpr const char* kSmallest = "6144 B";  // that the reader takes

TEST_CASE("every operation comes through loss with the smallest cache", "[network]") {
    for (const char* const operation :
         {"write", "write_imm", "send", "send_imm", "read", "fetch_add", "compare_swap"}) {
        for (const char* const pattern : {"stream", "ping_pong"}) {
            for (const auto& [card, rule] :
                 {std::pair("personality: rc", "go_back_n"), std::pair("profile: cx5_100g", "go_back_n"),
                  std::pair("profile: cx5_100g", "selective_repeat")}) {
                const std::string which = std::string(operation) + ' ' + pattern + ' ' + rule;
                if (which == "write ping_pong selective_repeat") continue;  // refused
                const bool atomic = std::string(operation) == "fetch_add" || std::string(operation) == "compare_swap";
                const bool gigabit = std::string(card) == "personality: rc";
                RunConfig config = pair_of(
                    std::string("operation: ") + operation + ", pattern: " + pattern + ", transfers: 8" +
                        (std::string(pattern) == "stream" ? ", depth: 4" : "") +
                        ", connections: 20, size: " + (atomic ? "8 B" : "3001 B"),
                    std::string(card) + ", rc: {timeout: 10, cache: " + kSmallest + ", retransmission: " + rule + "}",
                    std::string("rate: ") + (gigabit ? "1 Gbps" : "100 Gbps") +
                        ", loss: 2 %, corruption: 1 %, duplication: 1 %, reordering: 1 %, lateness: 2 us");
                for (config.seed = 1; config.seed <= 2; ++config.seed) {
                    const auto outcome = apart([&] {
                        const RunResult result = simulate(config);
                        if (result.samples.size() != 160 || std::ranges::any_of(result.samples, &Sample::failed))
                            throw RunError("messages are missing");
                        if (counter(result, "a.rc.cache_misses_qp") == 0 ||
                            counter(result, "b.rc.cache_write_backs") == 0)
                            throw RunError("all was on the card");
                        return result;
                    });
                    INFO(which << ", " << card << ", seed " << config.seed);
                    CHECK(outcome.ran);
                }
            }
        }
    }
}

TEST_CASE("V-K5: a QP whose context is missing does not hold up one that is posted to after it", "[network]") {
    // The first connection's lines leave when those of the others are made; the last one's are there.
    const std::string item = "from: a, to: b, operation: read, size: 8 B, transfers: 1";
    const RunConfig config =
        pair_of("operation: read, size: 8 B, transfers: 1, start: 10 us}, {" + item +
                    ", connections: 30, start: 1 ms}, {" + item + ", start: 10 us",
                std::string("profile: cx5_100g, rc: {cache: ") + kSmallest + "}", "rate: 100 Gbps");
    const RunResult result = simulate(config);
    REQUIRE(result.samples.size() == 32);
    const Sample &cold = result.samples.front(), &warm = result.samples.back();
    CHECK(warm.start > cold.start);
    CHECK(warm.end < cold.end);
}

TEST_CASE("lines that are all on the card cost nothing, and no request", "[network]") {
    const auto run = [](const char* const cache) {
        return apart([&] {
            const RunResult result =
                simulate(pair_of("operation: send, size: 3000 B, transfers: 50, connections: 4, depth: 4",
                                 std::string("profile: cx5_100g, rc: {cache: ") + cache + "}", "rate: 100 Gbps"));
            for (const char* const kind : {"qp", "region", "pages", "cq"}) {
                if (counter(result, std::string("a.rc.cache_misses_") + kind) != 0) throw RunError("a miss");
            }
            if (counter(result, "a.rc.cache_hits") == 0) throw RunError("nothing was asked for");
            return result;
        });
    };
    const Outcome small = run("64 KiB"), large = run("1024 MiB");
    CHECK(small.ran);
    CHECK(small.fingerprint == large.fingerprint);
}

TEST_CASE("larger pages need fewer lines, and one region for a host needs one entry", "[network]") {
    const auto misses = [](const std::string& page, const std::string& regions, std::uint64_t least_pages,
                           std::uint64_t most_pages, bool entries) {
        const std::string text =
            "system:\n  rnic: {profile: cx5_100g, rc: {cache: 24 KiB}}\n  host: {verbs: {page: " + page +
            "}}\n  hosts: {a: {}, b: {}}\n  links: [{between: [a, b]}]\nrun:\n  traffic: [{from: a, to: b, size: 4 "
            "KiB, depth: 2, transfers: 8, connections: 100, regions: " +
            regions + "}]\n";
        return apart([&, config = run_config(ScenarioFile(text).load(), 0, 0, 0)] {
            RunResult result = simulate(config);
            const std::uint64_t of_pages = counter(result, "b.rc.cache_misses_pages");
            const std::uint64_t of_regions = counter(result, "b.rc.cache_misses_region");
            if (of_pages < least_pages || of_pages > most_pages || (of_regions > 40) != entries)
                throw RunError(std::to_string(of_pages) + " of pages, " + std::to_string(of_regions) + " of regions");
            return result;
        });
    };
    CHECK(misses("4 KiB", "connection", 100, 10'000, true).ran);
    CHECK(misses("2 MiB", "connection", 0, 400, true).ran);  // 100 entries of 8 bytes
    CHECK(misses("4 KiB", "host", 100, 10'000, false).ran);
    CHECK(misses("1024 MiB", "host", 0, 40, false).ran);
}

TEST_CASE("a card takes packets again when the oldest of its last 32 writes has gone", "[network]") {
    rc::DmaBacklog queue;
    for (std::size_t n = 1; n < rc::DmaBacklog::kMost; ++n) queue.add(Cycle{static_cast<std::int64_t>(10 * n)});
    CHECK(queue.has_room_at() == Cycle{});
    queue.add(Cycle{1000});
    CHECK(queue.has_room_at() == Cycle{10});
    queue.add(Cycle{2000});
    CHECK(queue.has_room_at() == Cycle{20});
}

TEST_CASE("connections of an initiator that take turns: each gets as many messages, so many are outstanding",
          "[network]") {
    const RunResult result =
        simulate(pair_of("size: 8 B, depth: 1, transfers: 10, connections: 20, outstanding: 5", "profile: cx5_100g"));
    REQUIRE(result.samples.size() == 200);
    std::vector<std::pair<Time, int>> changes;
    for (const Sample& f : result.samples) {
        CHECK_FALSE(f.failed());
        changes.push_back({f.start, 1});
        changes.push_back({f.end, -1});
    }
    std::ranges::sort(changes);
    int open = 0, most = 0;
    for (const auto& [at, change] : changes) most = std::max(most, open += change);
    CHECK(most == 5);
    // Message n of every connection comes before message n + 1 of any.
    for (std::size_t n = 0; n + 1 < 10; ++n) {
        for (std::size_t one = 0; one < 20; ++one) {
            for (std::size_t other = 0; other < 20; ++other)
                CHECK(result.samples[one * 10 + n].start < result.samples[other * 10 + n + 1].start);
        }
    }
}

}  // namespace
}  // namespace rnicsim
