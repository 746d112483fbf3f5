// SPDX-License-Identifier: Apache-2.0
// Where the time of a message between RoCEv2 RNICs goes. That the parts add up to it, to the picosecond, is checked in
// every run (MessageLedger::fill); here each part has a reason to be what it is.
#include "model/faults/tape.h"
#include "model/rnic/rc/ack_time.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"
#include "testbench/workloads/messages/message_sample.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

namespace rnicsim {
namespace {

constexpr const char* kLink = "rate: 100 Gbps";

std::int64_t part(const Sample& message, MessagePart which) {
    return message.parts.at(static_cast<std::size_t>(which));
}
std::int64_t all(const Sample& message) { return std::reduce(message.parts.begin(), message.parts.end()); }
std::int64_t sum(const RunResult& result, MessagePart which) {
    return std::accumulate(result.samples.begin(), result.samples.end(), std::int64_t{0},
                           [&](std::int64_t so_far, const Sample& f) { return so_far + part(f, which); });
}
/// Runs in a process of its own and says whether everything holds.
template <typename Check>
bool holds(const RunConfig& config, const Check& check) {
    return apart([&] {
               RunResult result = simulate(config);
               if (!check(result)) throw RunError("the parts are others");
               return result;
           })
        .ran;
}

TEST_CASE("an idle WRITE that is pushed: post, wire and completion, nothing else", "[network]") {
    const RunConfig config = pair_of("size: 8 B, depth: 1, transfers: 3", "profile: cx5_100g", kLink);
    const VerbsEndConfig& end = verbs_of(config, 0);
    const std::int64_t costs = end.host.clock.time(end.host.costs.post + end.host.costs.push).ps;
    const std::int64_t poll = end.host.clock.time(end.host.costs.poll).ps;
    const RunResult result = simulate(config);
    for (const Sample& f : result.samples) {
        CHECK(part(f, MessagePart::fetch) == 0);
        CHECK(part(f, MessagePart::queue) == 0);
        CHECK(part(f, MessagePart::retransmission) == 0);
        CHECK(part(f, MessagePart::rnr) == 0);
        CHECK(part(f, MessagePart::post) > costs + end.card.clock.time(end.card.pcie.latency).ps);
        CHECK(part(f, MessagePart::completion) > poll + end.card.clock.time(end.card.pcie.latency).ps);
        CHECK(all(f) == (f.end - f.start).ps);
    }
}

TEST_CASE("behind a doorbell the WQE is fetched: a read of host memory", "[network]") {
    const RunConfig config =
        pair_of("size: 8 B, depth: 1, transfers: 3", "profile: cx5_100g, rc: {inline: 220 B}", kLink);
    RunConfig rung = config;
    for (VerbsEndConfig& end : verbs_ends(rung)) end.host.posting = Posting::doorbell;
    const auto fetch_of = [](const RunResult& r) { return part(r.samples.back(), MessagePart::fetch); };
    CHECK(holds(config, [&](const RunResult& r) { return fetch_of(r) == 0; }));
    const RunResult result = simulate(rung);
    const VerbsEndConfig& end = verbs_of(config, 0);
    const std::int64_t there_and_back = 2 * end.card.clock.time(end.card.pcie.latency).ps;
    const std::int64_t memory = end.host.clock.time(end.host.memory.latency).ps;
    CHECK(fetch_of(result) > there_and_back + memory);
    CHECK(fetch_of(result) < there_and_back + memory + 200'000);  // the DMA engine, and bytes on the way
}

/// One WRITE whose only packet is lost so many times.
RunConfig losing(std::uint64_t times) {
    RunConfig config = pair_of("size: 8 B, depth: 1, transfers: 1", "profile: cx5_100g, rc: {timeout: 4}", kLink);
    auto tape = std::make_shared<FaultTape>();
    for (std::uint64_t n = 0; n < times; ++n) {
        TapedFrame lost;
        lost.frame.kind = FrameKind::roce_write;
        lost.frame.ordinal = n;
        tape->push_back(lost);
    }
    config.tape = tape;
    return config;
}

TEST_CASE("a lost packet: from its first transmission to its answer is retransmission", "[network]") {
    const auto answered = [&](std::int64_t tries) {
        return [tries](const RunResult& r) {
            const Sample& f = r.samples.at(0);
            const std::int64_t behind = part(f, MessagePart::retransmission) - tries * rc::ack_time(4).ps;
            return part(f, MessagePart::wire) == 0 && behind > 500'000 && behind < 1'500'000 &&
                   counter(r, "a.rc.timeouts") == static_cast<std::uint64_t>(tries);
        };
    };
    CHECK(holds(losing(1), answered(1)));
    CHECK(holds(losing(3), answered(3)));
    const Sample clean = simulate(losing(0)).samples.at(0);
    CHECK(part(clean, MessagePart::retransmission) == 0);
    CHECK(part(clean, MessagePart::wire) > 500'000);  // the way there and back
    CHECK(part(clean, MessagePart::wire) < 1'500'000);
}

TEST_CASE("an RNR NAK: its time is rnr, and then the packet goes again", "[network]") {
    // The receiver's program needs 30 us for a receive WQE: of three SENDs at once one finds none.
    const RunConfig config = pair_of("operation: send, size: 8 B, depth: 3, transfers: 30",
                                     "profile: cx5_100g, rc: {min_rnr_timer: 1}", kLink);
    RunConfig slow = config;
    verbs_of(slow, 1).host.costs.receive = verbs_of(slow, 1).host.clock.edge(kMicrosecond * 30);
    CHECK(holds(config, [](const RunResult& r) { return sum(r, MessagePart::rnr) == 0; }));
    const RunResult result = simulate(slow);
    const std::uint64_t naks = counter(result, "a.rc.rnr_naks_received");
    CHECK(naks > 5);
    std::int64_t longest = 0;
    for (const Sample& f : result.samples) longest = std::max(longest, part(f, MessagePart::rnr));
    CHECK(longest >= 10'000'000);  // s(1) = 10 us, whole for the message that was refused
    CHECK(sum(result, MessagePart::rnr) >= static_cast<std::int64_t>(naks) * 10'000'000);
    CHECK(sum(result, MessagePart::retransmission) > 0);
}

TEST_CASE("a window that is full: messages queue", "[network]") {
    const RunConfig wide = pair_of("size: 4 KiB, depth: 8, transfers: 40", "profile: cx5_100g, rc: {window: 128}",
                                   "rate: 100 Gbps, delay: 10 us");
    const RunConfig narrow = pair_of("size: 4 KiB, depth: 8, transfers: 40", "profile: cx5_100g, rc: {window: 4}",
                                     "rate: 100 Gbps, delay: 10 us");
    CHECK(holds(wide, [](const RunResult& r) { return sum(r, MessagePart::queue) < 40 * 3'000'000LL; }));
    // Each waits for the round of those before it: 20 us and more.
    CHECK(holds(narrow, [](const RunResult& r) { return sum(r, MessagePart::queue) > 30 * 20'000'000LL; }));
}

TEST_CASE("in turn a sample has half of both messages of a round", "[network]") {
    for (const char* const verb : {"write", "send"}) {
        const RunConfig config =
            pair_of(std::string("operation: ") + verb + ", size: 8 B, pattern: ping_pong, transfers: 20",
                    "profile: cx5_100g", kLink);
        CHECK(holds(config, [](const RunResult& r) {
            return std::ranges::all_of(r.samples, [](const Sample& f) {
                return all(f) == (f.end - f.start).ps && part(f, MessagePart::post) > 0 &&
                       part(f, MessagePart::wire) > 0 && part(f, MessagePart::retransmission) == 0;
            });
        }));
    }
}

TEST_CASE("in turn a message is over when its receiver sees it, though its sender's card is to hear so later",
          "[network]") {
    // The card tells ahead of time, here by up to 144 ns.
    const RunConfig config = run_config(
        ScenarioFile("system:\n"
                     "  rnic: {profile: gigabit_fpga}\n"
                     "  hosts: {srv: {}, cl: {count: 2}}\n"
                     "  switches: {s0: {}}\n"
                     "  links: [{between: [srv, s0]}, {between: [cl, s0]}]\n"
                     "run:\n"
                     "  traffic:\n"
                     "    - {from: cl, to: srv, pattern: ping_pong, size: 8 B, operation: write_imm, transfers: 2}\n"
                     "    - {from: srv, to: cl, size: 1 KiB, operation: send, transfers: 50}\n")
            .load(),
        0, 0, 0);
    CHECK(holds(config, [](const RunResult& r) {
        return std::ranges::all_of(r.samples, [](const Sample& f) { return part(f, MessagePart::completion) > 0; });
    }));
}

TEST_CASE("parts add up under loss, corruption, copies and overtaking, whatever is sent", "[network]") {
    for (const char* const rule : {"go_back_n", "go_back_0", "selective_repeat"}) {
        for (const char* const item :
             {"operation: write, depth: 8, connections: 2", "operation: read, depth: 4",
              "operation: send, depth: 16, signal_every: 5", "operation: write_imm, pattern: ping_pong",
              "operation: send, pattern: ping_pong", "operation: fetch_add, depth: 3"}) {
            const bool atomic = std::string(item).find("fetch") != std::string::npos;
            const RunConfig config = pair_of(
                std::string(item) + ", transfers: 60, size: " + (atomic ? "8 B" : "3000 B"),
                std::string("profile: cx5_100g, rc: {pmtu: 256 B, timeout: 6, retransmission: ") + rule + "}",
                "rate: 100 Gbps, loss: 2 %, corruption: 0.3 %, duplication: 1 %, reordering: 1 %, lateness: 2 us");
            INFO(rule << ", " << item);
            CHECK(holds(config, [](const RunResult& r) { return sum(r, MessagePart::retransmission) > 0; }));
        }
    }
}

}  // namespace
}  // namespace rnicsim
