// SPDX-License-Identifier: Apache-2.0
// Hosts whose QPs share their receive WQEs (SRQ). Each run checks the invariants of VERBS.md by itself.
#include "testbench/workloads/messages/shared_receives.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace rnicsim {
namespace {

/// Four clients send to a server; `keys`: of the card, `server`: of the server's verbs.
RunConfig clients_of(const std::string& item, const std::string& keys, const std::string& server,
                     const std::string& link = "rate: 100 Gbps") {
    const std::string text = "system:\n  rnic: {profile: cx5_100g, rc: {" + keys +
                             "}}\n  hosts: {server: {host: {verbs: {" + server +
                             "}}}, client: {count: 4}}\n  switches: {s0: {mtu: 4200 B, buffer: 4 MiB, priorities: 8, "
                             "pfc: {classes: [3], xoff: 64 KiB, unchecked: true}}}\n  link: {" +
                             link +
                             "}\n  links: [{between: [server, s0]}, {between: [client, s0]}]\nrun:\n  traffic: "
                             "[{from: client, to: server, " +
                             item + "}]\n";
    return run_config(ScenarioFile(text).load(), 0, 0, 0);
}

std::size_t failed(const RunResult& result) {
    return static_cast<std::size_t>(std::ranges::count_if(result.samples, &Sample::failed));
}

TEST_CASE("V-S5: on an idle wire a shared queue has the times of an own one", "[network]") {
    // Whole TLPs, as buffers of a shared queue begin elsewhere.
    for (const char* const item : {"operation: send, size: 2 B", "operation: send, size: 3 KiB",
                                   "operation: send_imm, size: 1 KiB", "operation: write_imm, size: 3000 B"}) {
        RunConfig config =
            pair_of(std::string(item) + ", pattern: ping_pong, transfers: 50", "profile: cx5_100g", "rate: 100 Gbps");
        const auto own = apart([&] { return simulate(config); });
        for (VerbsEndConfig& end : verbs_ends(config)) end.host.shared_receives = 2;  // as many as an own one has
        const auto shared = apart([&] { return simulate(config); });
        INFO(item);
        REQUIRE(own.ran);
        REQUIRE(shared.ran);
        CHECK(own.fingerprint == shared.fingerprint);  // of all times
    }
}

TEST_CASE("V-S5: an incast on a small shared queue is told to wait, and nothing is lost", "[network]") {
    // 8 QPs with 16 outstanding each can never take more than 128.
    for (const auto& [receives, naks] : {std::pair("1", true), std::pair("256", false)}) {
        const RunConfig config =
            clients_of("operation: send, size: 4 KiB, connections: 2, transfers: 60", "pmtu: 4096 B, min_rnr_timer: 1",
                       std::string("receive_queues: shared, shared_receives: ") + receives);
        INFO(receives);
        CHECK(apart([&] {
                  const RunResult result = simulate(config);
                  if (result.samples.size() != 480 || failed(result) != 0) throw RunError("messages are missing");
                  if ((counter(result, "server.rc.rnr_naks_sent") != 0) != naks) throw RunError("RNR NAKs or none");
                  return result;
              }).ran);
    }
}

TEST_CASE("V-C5: a QP that has used up its RNR tries fails, and the shared queue serves the others", "[network]") {
    const RunConfig config = clients_of("operation: send, size: 256 B, connections: 2, transfers: 60",
                                        "min_rnr_timer: 1, rnr_retry: 0", "receive_queues: shared, shared_receives: 8");
    const RunResult result = simulate(config);
    CHECK(failed(result) > 0);
    // Some QP has come to its end behind one that failed.
    std::size_t whole = 0;
    for (std::size_t first = 0; first < result.samples.size(); first += 60) {
        const auto begin = result.samples.begin() + static_cast<std::ptrdiff_t>(first);
        whole += std::none_of(begin, begin + 60, [](const Sample& one) { return one.failed(); }) ? 1 : 0;
    }
    CHECK(whole > 0);
    CHECK(whole < 8);
}

TEST_CASE("V-Q2: a QP that fails flushes what it has taken of the shared queue, and nothing of the others",
          "[network]") {
    // Both ends send in turn, and a QP fails with its first timeout: one whose last ACK was lost may do so while the
    // three packets of the next message come in.
    RunConfig config =
        pair_of("operation: send, size: 700 B, pattern: ping_pong, connections: 64, transfers: 100",
                "profile: cx5_100g, rc: {pmtu: 256 B, timeout: 4, retry_cnt: 0}", "rate: 100 Gbps, loss: 20 %");
    for (VerbsEndConfig& end : verbs_ends(config)) end.host.shared_receives = 128;
    const RunResult result = simulate(config);
    CHECK(failed(result) > 0);
    // Each QP in ERR says so once, and has one send that has failed; what errors there are beside are flushed receives.
    const auto both = [&](const char* what) {
        return counter(result, std::string("a.rc.") + what) + counter(result, std::string("b.rc.") + what);
    };
    CHECK(both("completion_errors") > both("events"));
}

TEST_CASE("SENDs and WRITEs with immediate to a shared queue come through loss, copies and overtaking", "[network]") {
    for (const char* const rule : {"go_back_n", "selective_repeat"}) {
        for (const char* const item : {"operation: send, size: 3001 B", "operation: write_imm, size: 700 B",
                                       "mix: {write: 30 %, write_imm: 20 %, send: 20 %, send_imm: 10 %, read: 20 %}, "
                                       "sizes: [1 B, 8 B, 3001 B]"}) {
            RunConfig config = clients_of(
                std::string(item) + ", connections: 2, transfers: 60",
                std::string("pmtu: 256 B, timeout: 6, min_rnr_timer: 1, retransmission: ") + rule,
                "receive_queues: shared, shared_receives: 9",
                "rate: 100 Gbps, loss: 1 %, corruption: 0.3 %, duplication: 1 %, reordering: 1 %, lateness: 2 us");
            for (config.seed = 1; config.seed <= 2; ++config.seed) {
                const auto outcome = apart([&] {
                    const RunResult result = simulate(config);
                    if (result.samples.size() != 480 || failed(result) != 0) throw RunError("messages are missing");
                    return result;
                });
                INFO(item << ", " << rule << ", seed " << config.seed);
                CHECK(outcome.ran);
            }
        }
    }
}

TEST_CASE("V-S14: each limit event is one interrupt, and fills the shared queue up", "[network]") {
    // 480 messages. Each event finds fewer than 32 of 64, and so many are taken before the next.
    const RunConfig config = clients_of("operation: send, size: 256 B, connections: 2, transfers: 60", "",
                                        "receive_queues: shared, shared_receives: 64, srq_limit: 32");
    const RunResult result = simulate(config);
    CHECK(failed(result) == 0);
    const std::uint64_t events = counter(result, "server.rc.srq_limits_reached");
    CHECK(events >= 480 / 64);
    CHECK(events <= 480 / (64 - 32));
    CHECK(counter(result, "server.rc.events") == events);
    CHECK(counter(result, "server.pcie.interrupts") == events);
    CHECK(counter(result, "server.host.interrupts") == events);
}

TEST_CASE("V-S14: with events that come late a low limit has RNR NAKs, a higher one has none", "[network]") {
    // In 5 us come 15 messages.
    for (const auto& [limit, naks] : {std::pair("1", true), std::pair("32", false)}) {
        RunConfig config =
            clients_of("operation: send, size: 4 KiB, transfers: 100, depth: 4", "pmtu: 4096 B, min_rnr_timer: 1",
                       std::string("receive_queues: shared, shared_receives: 64, srq_limit: ") + limit);
        for (VerbsEndConfig& end : verbs_ends(config))
            end.host.interrupt_latency = end.host.clock.edge(kMicrosecond * 5);
        INFO(limit);
        CHECK(apart([&] {
                  const RunResult result = simulate(config);
                  if (failed(result) != 0) throw RunError("messages are missing");
                  if ((counter(result, "server.rc.rnr_naks_sent") != 0) != naks) throw RunError("RNR NAKs or none");
                  return result;
              }).ran);
    }
}

TEST_CASE("V-S14: who waits for a limit that is never reached runs as without one", "[network]") {
    RunConfig config = clients_of("operation: send, size: 256 B, transfers: 20", "",
                                  "receive_queues: shared, shared_receives: 256, srq_limit: 100");
    CHECK(apart([&] {
              const RunResult result = simulate(config);
              if (failed(result) != 0 || counter(result, "server.rc.srq_limits_reached") != 0 ||
                  counter(result, "server.host.receives_posted") != 256)
                  throw RunError("events, or receives posted again");
              return result;
          }).ran);
    for (VerbsEndConfig& end : verbs_ends(config)) end.host.srq_limit = 0;
    CHECK(apart([&] {
              const RunResult result = simulate(config);
              for (const auto& [name, value] : result.counters)
                  if (name.ends_with("srq_limits_reached")) throw RunError("a counter of no limit");
              return result;
          }).ran);
}

TEST_CASE("V-S14: the smallest and the largest limits, through loss: every message comes", "[network]") {
    for (const auto& [receives, limit] : {std::pair("9", "1"), std::pair("9", "9"), std::pair("64", "40")}) {
        const RunConfig config = clients_of(
            "operation: send, size: 3001 B, connections: 2, transfers: 60", "pmtu: 256 B, timeout: 6, min_rnr_timer: 1",
            std::string("receive_queues: shared, shared_receives: ") + receives + ", srq_limit: " + limit,
            "rate: 100 Gbps, loss: 1 %, duplication: 1 %, reordering: 1 %, lateness: 2 us");
        INFO(receives << ", limit " << limit);
        CHECK(apart([&] {
                  const RunResult result = simulate(config);
                  if (result.samples.size() != 480 || failed(result) != 0) throw RunError("messages are missing");
                  if (counter(result, "server.rc.srq_limits_reached") == 0) throw RunError("no event");
                  return result;
              }).ran);
    }
}

TEST_CASE("V-U3: UC and UD to a shared queue that is empty are dropped, and what comes is whole", "[network]") {
    for (const char* const item :
         {"service: uc, operation: send, size: 1001 B", "service: uc, operation: write_imm, size: 700 B",
          "service: ud, operation: send, size: 1 KiB"}) {
        const RunConfig config = clients_of(std::string(item) + ", connections: 2, transfers: 60", "pmtu: 1024 B",
                                            "receive_queues: shared, shared_receives: 2");
        INFO(item);
        CHECK(apart([&] {
                  const RunResult result = simulate(config);
                  const std::size_t lost = failed(result);
                  if (result.samples.size() != 480 || lost == 0 || lost == 480) throw RunError("all or none are lost");
                  return result;
              }).ran);
    }
}

TEST_CASE("a shared queue makes the memory of receives independent of the QPs", "[network]") {
    const auto bytes = [](std::uint32_t shared, const char* connections) {
        RunConfig config = pair_of(std::string("operation: send, size: 4 KiB, connections: ") + connections);
        for (VerbsEndConfig& end : verbs_ends(config)) end.host.shared_receives = shared;
        const VerbsLayout layout = lay_out(config);
        std::uint64_t receives = 0;
        for (const VerbsLayout::Connection& c : layout.connections) receives += c.ends[1].receives.entries;
        return receives + (layout.shared[1] ? layout.shared[1]->ring.entries : 0);
    };
    CHECK(bytes(0, "4") == 4 * 64);  // twice the depth, and one more, as a power of two
    CHECK(bytes(0, "400") == 400 * 64);
    CHECK(bytes(100, "4") == 128);
    CHECK(bytes(100, "400") == 128);
}

TEST_CASE("receives that end in another order are posted again with their own slots", "[network]") {
    PostedSlots slots;
    for (const std::uint32_t slot : {0U, 1U, 2U}) slots.post(slot);
    CHECK(slots.end(1) == 1);
    CHECK_FALSE(slots.without_gap());
    CHECK_FALSE(slots.end(1));  // twice
    CHECK_FALSE(slots.end(3));  // not posted
    slots.post(1);              // number 3
    CHECK(slots.end(0) == 0);
    CHECK(slots.without_gap());
    CHECK_FALSE(slots.end(0));
    CHECK(slots.end(3) == 1);
    CHECK(slots.end(2) == 2);
    CHECK_FALSE(slots.end(2));
}

}  // namespace
}  // namespace rnicsim
