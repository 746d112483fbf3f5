// SPDX-License-Identifier: Apache-2.0
// Items whose messages are of several kinds: what is drawn, and that everything arrives where it belongs. Each run
// checks the invariants of VERBS.md by itself.
#include "testbench/kits/rc/verbs_message.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"
#include "testbench/workloads/messages/message_sample.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

constexpr const char* kAll =
    "mix: {write: 20 %, write_imm: 15 %, send: 15 %, send_imm: 10 %, read: 20 %, compare_swap: 10 %, fetch_add: 10 %}";
constexpr const char* kSizes = "sizes: [1 B, 7 B, 8 B, 255 B, 256 B, 257 B, 1000 B, 1024 B, 1025 B, 3001 B, 5 KiB]";

/// The first messages of a connection.
std::vector<MessageKind> first_of(const RunConfig& config, std::size_t connection, std::uint32_t messages) {
    const VerbsLayout layout = lay_out(config);
    const MessageKinds kinds(config, layout.connections.at(connection));
    std::vector<MessageKind> all;
    for (std::uint32_t m = 0; m < messages; ++m) all.push_back(kinds.at(m));
    return all;
}

bool same(const std::vector<MessageKind>& a, const std::vector<MessageKind>& b) {
    return std::ranges::equal(
        a, b, [](MessageKind one, MessageKind other) { return one.verb == other.verb && one.bytes == other.bytes; });
}

/// Is a count what so many draws of this probability bring? Within five standard deviations: once in 1.7 million.
bool as_drawn(double count, double draws, double share) {
    return std::abs(count - draws * share) <= 5 * std::sqrt(draws * share * (1 - share));
}

TEST_CASE("a mix of all verbs and sizes comes through loss, corruption, copies and overtaking", "[network]") {
    for (const char* const rule : {"go_back_n", "go_back_0", "selective_repeat"}) {
        for (const char* const how : {"depth: 1", "depth: 8, connections: 2", "depth: 16, signal_every: 5",
                                      "depth: 4, outstanding: 6, connections: 3"}) {
            RunConfig config = pair_of(
                std::string(kAll) + ", " + kSizes + ", transfers: 150, " + how,
                std::string("profile: cx5_100g, rc: {pmtu: 256 B, timeout: 6, retransmission: ") + rule + "}",
                "rate: 100 Gbps, loss: 1 %, corruption: 0.3 %, duplication: 1 %, reordering: 1 %, lateness: 2 us");
            for (config.seed = 1; config.seed <= 3; ++config.seed) {
                const auto outcome = apart([&] {
                    const RunResult result = simulate(config);
                    if (result.samples.size() != 150 * config.traffic[0].verbs.connections ||
                        std::ranges::any_of(result.samples, &Sample::failed))
                        throw RunError("messages are missing");
                    return result;
                });
                INFO(rule << ", " << how << ", seed " << config.seed);
                CHECK(outcome.ran);
            }
        }
    }
}

TEST_CASE("a mix over UC and UD: what comes is whole, and what was lost is none that came", "[network]") {
    for (const char* const item :
         {"service: uc, mix: {write: 40 %, write_imm: 20 %, send: 20 %, send_imm: 20 %}, sizes: [8 B, 900 B, 3001 B]",
          "service: ud, mix: {send: 50 %, send_imm: 50 %}, sizes: [8 B, 17 B, 1 KiB]"}) {
        for (const char* const link :
             {"rate: 100 Gbps", "rate: 100 Gbps, loss: 2 %, duplication: 1 %, reordering: 1 %"}) {
            RunConfig config =
                pair_of(std::string(item) + ", transfers: 200, connections: 2", "profile: cx5_100g", link);
            for (config.seed = 1; config.seed <= 3; ++config.seed) {
                const auto outcome = apart([&] {
                    const RunResult result = simulate(config);
                    const auto lost = std::ranges::count_if(result.samples, &Sample::failed);
                    if (result.samples.size() != 400 || (lost != 0) != (config.links[0].loss > 0))
                        throw RunError("lost or not");
                    return result;
                });
                INFO(item << ", " << link << ", seed " << config.seed);
                CHECK(outcome.ran);
            }
        }
    }
}

TEST_CASE("messages of a turn have drawn sizes, the same both ways", "[network]") {
    for (const char* const operation : {"write", "send", "read"}) {
        const RunConfig config = pair_of(std::string("pattern: ping_pong, operation: ") + operation +
                                         ", sizes: [1 B, 8 B, 1500 B, 5000 B], transfers: 100");
        const auto outcome = apart([&] {
            const RunResult result = simulate(config);
            std::uint64_t packets = 0;
            for (const Sample& one : result.samples) packets += rc::packets_of(one.bytes, 1024);
            const bool read = std::string(operation) == "read";
            // At least: ACKs and requests come on top.
            if (counter(result, "b.rc.tx_packets") < packets || (!read && counter(result, "a.rc.tx_packets") < packets))
                throw RunError("fewer packets than the sizes make");
            return result;
        });
        INFO(operation);
        CHECK(outcome.ran);
    }
}

TEST_CASE("shares and sizes come out as asked, and atomics have eight bytes", "[network]") {
    constexpr std::uint32_t kDraws = 100'000;
    const RunConfig config = pair_of(std::string(kAll) + ", sizes: [64 B, 4 KiB, 100 B]");
    std::map<rc::Verb, double> verbs;
    std::map<std::uint32_t, double> sizes;
    double atomics = 0;
    for (const MessageKind kind : first_of(config, 0, kDraws)) {
        ++verbs[kind.verb];
        if (!rc::is_atomic(kind.verb)) {
            ++sizes[kind.bytes];
            continue;
        }
        ++atomics;
        CHECK(kind.bytes == rc::kAtomicBytes);
    }
    CHECK(verbs.size() == 7);
    CHECK(as_drawn(verbs[rc::Verb::write], kDraws, 0.2));
    CHECK(as_drawn(verbs[rc::Verb::write_imm], kDraws, 0.15));
    CHECK(as_drawn(verbs[rc::Verb::send], kDraws, 0.15));
    CHECK(as_drawn(verbs[rc::Verb::send_imm], kDraws, 0.1));
    CHECK(as_drawn(verbs[rc::Verb::read], kDraws, 0.2));
    CHECK(as_drawn(verbs[rc::Verb::compare_swap], kDraws, 0.1));
    CHECK(as_drawn(verbs[rc::Verb::fetch_add], kDraws, 0.1));
    CHECK(sizes.size() == 3);
    for (const std::uint32_t bytes : {64U, 4096U, 100U}) CHECK(as_drawn(sizes[bytes], kDraws - atomics, 1 / 3.0));
}

TEST_CASE("a message is drawn by seed, repetition, item, hosts, connection and number, and by nothing else",
          "[network]") {
    const std::string item = std::string(kAll) + ", " + kSizes;
    const RunConfig config = pair_of(item + ", connections: 2");
    const std::vector<MessageKind> first = first_of(config, 0, 200);
    CHECK(same(first, first_of(pair_of(item + ", connections: 5, depth: 3, transfers: 7"), 0, 200)));
    CHECK(same(first, first_of(pair_of(item, "profile: cx5_100g, rc: {pmtu: 256 B}"), 0, 200)));
    CHECK_FALSE(same(first, first_of(config, 1, 200)));
    RunConfig other = config;
    other.seed = 2;
    CHECK_FALSE(same(first, first_of(other, 0, 200)));
    other.seed = 1;
    other.repetition = 1;
    CHECK_FALSE(same(first, first_of(other, 0, 200)));
    other.repetition = 0;
    other.traffic.push_back(other.traffic[0]);
    other.traffic[0].verbs.connections = 9;
    CHECK(same(first, first_of(other, 0, 200)));
    CHECK_FALSE(same(first, first_of(other, 9, 200)));  // the second item's first
    // Neither draw tells of the other.
    const std::vector<MessageKind> one_size = first_of(pair_of(std::string(kAll) + ", sizes: [5 KiB]"), 0, 200);
    CHECK(std::ranges::equal(first, one_size, {}, &MessageKind::verb, &MessageKind::verb));
}

TEST_CASE("the same seed has the same messages, and a record says which each was", "[network]") {
    const RunConfig config =
        pair_of(std::string(kAll) + ", " + kSizes + ", transfers: 100, connections: 2", "personality: rc", "loss: 1 %");
    const auto outcome = apart([&] {
        const RunResult result = simulate(config);
        for (std::size_t i = 0; i < result.samples.size(); ++i) {
            const MessageKind kind = first_of(config, i / 100, 100).at(i % 100);
            if (result.samples[i].bytes != kind.bytes || verb_of(result.samples[i]) != kind.verb)
                throw RunError("a record of another message");
        }
        return result;
    });
    REQUIRE(outcome.ran);
    const auto again = apart([&] { return simulate(config); });
    CHECK(again.fingerprint == outcome.fingerprint);
}

TEST_CASE("SENDs, WRITEs, data for READs and the word of atomics lie apart", "[network]") {
    const VerbsLayout layout = lay_out(pair_of(std::string(kAll) + ", " + kSizes + ", connections: 2"));
    for (const VerbsLayout::Connection& c : layout.connections) {
        for (const VerbsLayout::End& end : c.ends) {
            CHECK(end.out.address + end.out.bytes() <= end.word.address);
            CHECK(end.word.address + end.word.bytes() <= end.received.address);
            CHECK(end.received.address + end.received.bytes() <= end.in.address);
            CHECK(end.received.slots == 16);
            CHECK(end.in.slots == 16);
            CHECK(end.in.slot_bytes == 5120);
            CHECK(end.buffers().address == end.out.address);
        }
    }
}

}  // namespace
}  // namespace rnicsim
