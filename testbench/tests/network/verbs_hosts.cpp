// SPDX-License-Identifier: Apache-2.0
// Hosts with RoCEv2 RNICs, through links and switches: DMA requests by verb, faults, pauses; exact times are in
// verbs_times.cpp. Each run checks the invariants of VERBS.md by itself.
#include "model/rnic/rc/end/end_config.h"
#include "model/system.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

using Catch::Matchers::ContainsSubstring;

/// Clients and a server at a switch; `keys`: of the switch.
RunConfig star_of(const std::string& item, const std::string& rnic, const std::string& keys, const std::string& link) {
    const std::string text = "system:\n  rnic: {" + rnic +
                             "}\n  hosts: {server: {}, client: {count: 4}}\n  switches: {s0: {" + keys +
                             "}}\n  link: {" + link +
                             "}\n  links: [{between: [server, s0]}, {between: [client, s0]}]\nrun:\n  traffic: "
                             "[{from: client, to: server, " +
                             item + "}]\n";
    return run_config(ScenarioFile(text).load(), 0, 0, 0);
}

std::size_t failed(const RunResult& result) {
    return static_cast<std::size_t>(std::ranges::count_if(result.samples, &Sample::failed));
}

TEST_CASE("V-I12: DMA requests of each verb, pushed and inline or not", "[network]") {
    struct Case {
        const char* item;
        const char* rnic;
        std::uint64_t reads, writes, there_reads, there_writes;  // requester's, responder's: of 32 messages
    };
    constexpr const char* kPush = "personality: rc, rc: {inline: 64 B}";
    constexpr const char* kNotInline = "personality: rc, rc: {inline: 0 B}";
    for (const Case& c : {
             Case{"operation: write, size: 32 B, pattern: ping_pong", kPush, 0, 64, 0, 64},  // both ends write
             Case{"operation: write, size: 32 B, depth: 1", kPush, 0, 32, 0, 32},
             Case{"operation: write, size: 32 B, depth: 1", kNotInline, 32, 32, 0, 32},
             Case{"operation: read, size: 32 B, depth: 1", kPush, 0, 64, 32, 0},
             Case{"operation: fetch_add, size: 8 B, depth: 1", kPush, 0, 64, 32, 32},
             Case{"operation: write, size: 32 B, depth: 8, signal_every: 8", kPush, 0, 4, 0, 32},
             Case{"service: uc, operation: write, size: 32 B, depth: 1", kPush, 0, 32, 0, 32},
             Case{"service: uc, operation: write, size: 32 B, depth: 1", kNotInline, 32, 32, 0, 32},
         }) {
        const RunConfig config = pair_of(std::string(c.item) + ", transfers: 32", c.rnic);
        const auto outcome = apart([&] {
            const RunResult result = simulate(config);
            const bool as_said = counter(result, "a.pcie.read_requests") == c.reads &&
                                 counter(result, "a.pcie.write_requests") == c.writes &&
                                 counter(result, "b.pcie.read_requests") == c.there_reads &&
                                 counter(result, "b.pcie.write_requests") == c.there_writes;
            if (!as_said) throw RunError("other requests");
            return result;
        });
        INFO(c.item << " with " << c.rnic);
        CHECK(outcome.ran);
    }
}

TEST_CASE("V-I12: a doorbell makes the card read the WQE, and a SEND takes a receive WQE of eight", "[network]") {
    RunConfig config =
        pair_of("operation: send, size: 32 B, depth: 1, transfers: 32", "personality: rc, rc: {inline: 0 B}");
    for (VerbsEndConfig& end : verbs_ends(config)) end.host.posting = Posting::doorbell;
    const RunResult result = simulate(config);
    CHECK(counter(result, "a.rc.doorbells") == 32);
    CHECK(counter(result, "a.rc.send_wqe_reads") == 32);
    CHECK(counter(result, "a.pcie.read_requests") == 64);
    CHECK(counter(result, "b.pcie.write_requests") == 64);  // payload and CQE
    CHECK(counter(result, "b.rc.completions") == 32);
}

TEST_CASE("every operation, pattern and rate comes through loss, corruption, copies and overtaking", "[network]") {
    for (const char* const operation :
         {"write", "write_imm", "send", "send_imm", "read", "fetch_add", "compare_swap"}) {
        for (const char* const pattern : {"stream", "ping_pong"}) {
            for (const auto& [fast, rule] :
                 {std::pair("personality: rc", "go_back_n"), std::pair("profile: cx5_100g", "go_back_n"),
                  std::pair("profile: cx5_100g", "selective_repeat")}) {
                const std::string which = std::string(operation) + ' ' + pattern + ' ' + rule;
                if (which == "write ping_pong selective_repeat") continue;  // refused
                const bool atomic = std::string(operation) == "fetch_add" || std::string(operation) == "compare_swap";
                const bool gigabit = std::string(fast) == "personality: rc";
                RunConfig config =
                    pair_of(std::string("operation: ") + operation + ", pattern: " + pattern + ", transfers: 60" +
                                (std::string(pattern) == "stream" ? ", depth: 8" : "") +
                                ", connections: 2, size: " + (atomic ? "8 B" : "3001 B"),
                            std::string(fast) + ", rc: {timeout: 6, retransmission: " + rule + "}",
                            std::string("rate: ") + (gigabit ? "1 Gbps" : "100 Gbps") +
                                ", loss: 2 %, corruption: 1 %, duplication: 1 %, reordering: 1 %, lateness: 2 us");
                for (config.seed = 1; config.seed <= 3; ++config.seed) {
                    const auto outcome = apart([&] {
                        const RunResult result = simulate(config);
                        if (result.samples.size() != 120 || failed(result) != 0) throw RunError("messages are missing");
                        return result;
                    });
                    INFO(operation << ", " << pattern << ", " << fast << ", " << rule << ", seed " << config.seed);
                    CHECK(outcome.ran);
                }
            }
        }
    }
}

TEST_CASE("UC and UD: without faults every message comes", "[network]") {
    for (const char* const item :
         {"service: uc, operation: write, size: 3001 B", "service: uc, operation: write_imm, size: 3001 B",
          "service: uc, operation: send, size: 3001 B", "service: ud, operation: send, size: 1 B",
          "service: ud, operation: send_imm, size: 1000 B"}) {
        for (const char* const pattern : {"stream, depth: 1", "stream, depth: 16, signal_every: 4", "ping_pong"}) {
            for (const char* const rnic : {"personality: rc", "profile: cx5_100g"}) {
                const std::string link = rnic == std::string("personality: rc") ? "" : "rate: 100 Gbps";
                const RunConfig config =
                    pair_of(std::string(item) + ", transfers: 60, connections: 2, pattern: " + pattern, rnic, link);
                const auto outcome = apart([&] {
                    const RunResult result = simulate(config);
                    if (result.samples.size() != 120 || failed(result) != 0) throw RunError("messages are missing");
                    if (counter(result, "b.rc.dropped_messages") != 0) throw RunError("messages are dropped");
                    if (counter(result, "b.rc.tx_packets") !=
                        (pattern == std::string("ping_pong") ? counter(result, "a.rc.tx_packets") : 0))
                        throw RunError("something is answered");
                    return result;
                });
                INFO(item << ", " << pattern << ", " << rnic);
                CHECK(outcome.ran);
            }
        }
    }
}

TEST_CASE("V-U1, V-U2, V-U3: messages of UC and UD are lost with their packets, and the rest comes whole",
          "[network]") {
    for (const char* const item :
         {"service: uc, operation: write, size: 3001 B", "service: uc, operation: write_imm, size: 3001 B",
          "service: uc, operation: send, size: 3001 B", "service: uc, operation: send_imm, size: 900 B",
          "service: ud, operation: send, size: 900 B", "service: ud, operation: send_imm, size: 8 B"}) {
        RunConfig config =
            pair_of(std::string(item) + ", transfers: 300, depth: 8, connections: 2", "profile: cx5_100g",
                    "rate: 100 Gbps, loss: 2 %, corruption: 1 %, duplication: 1 %, reordering: 1 %, lateness: 2 us");
        for (config.seed = 1; config.seed <= 3; ++config.seed) {
            const auto outcome = apart([&] {
                const RunResult result = simulate(config);
                const std::uint64_t faults =
                    counter(result, "a-b.a_to_b_lost") + counter(result, "a-b.a_to_b_corrupted");
                const bool one_packet = config.traffic[0].size <= 1024;
                if (result.samples.size() != 600 || faults == 0) throw RunError("nothing is lost");
                // Of one packet a message is lost with it; a copy of a lost one is none.
                if (one_packet ? failed(result) > faults || failed(result) + 20 < faults : failed(result) < faults / 3)
                    throw RunError(std::to_string(failed(result)) + " messages are lost, and " +
                                   std::to_string(faults) + " frames");
                return result;
            });
            INFO(item << ", seed " << config.seed);
            CHECK(outcome.ran);
        }
    }
}

TEST_CASE("V-U3: what finds no receive WQE, or no room in a switch, is lost; the sender is not told", "[network]") {
    RunConfig slow = pair_of("service: ud, operation: send, size: 8 B, depth: 64, transfers: 2000", "profile: cx5_100g",
                             "rate: 100 Gbps");
    verbs_of(slow, 1).host.costs.poll = verbs_of(slow, 1).host.costs.poll * 20;
    const RunResult behind = simulate(slow);
    CHECK(failed(behind) > 100);
    CHECK(failed(behind) == counter(behind, "b.rc.dropped_messages"));
    CHECK(counter(behind, "a.rc.completion_errors") == 0);
}

TEST_CASE("UC into a switch that is too small: messages are lost, nothing is sent again", "[network]") {
    const RunResult result = simulate(star_of("service: uc, size: 64 KiB, transfers: 50", "profile: cx5_100g",
                                              "mtu: 4200 B, latency: 300 ns, buffer: 128 KiB", "rate: 100 Gbps"));
    CHECK(failed(result) > 0);
    CHECK(counter(result, "s0.server.refused") > 0);
    CHECK(counter(result, "client.rc.retransmissions") == 0);
    CHECK(counter(result, "server.rc.tx_packets") == 0);
}

TEST_CASE("V-R9: a dead link ends in RETRY_EXC after retry_cnt + 1 tries, and all that was posted is flushed",
          "[network]") {
    RunConfig config = pair_of("operation: write, size: 100 B, transfers: 20, depth: 4",
                               "personality: rc, rc: {timeout: 5, retry_cnt: 3}");
    config.links[0].loss = 1;
    const RunResult result = simulate(config);
    CHECK(failed(result) == 20);
    CHECK(counter(result, "a.rc.timeouts") == 4);
    CHECK(counter(result, "a.gmac.tx_frames") == 4 * 4);  // the four outstanding, four times
    CHECK(counter(result, "a.rc.completion_errors") == 4);
    CHECK(counter(result, "b.rc.rx_packets") == 0);
}

TEST_CASE("an incast of WRITEs through a lossless class: nothing is lost, nothing sent again", "[network]") {
    const char* const pfc =
        "mtu: 4200 B, latency: 300 ns, buffer: 4 MiB, priorities: 8, pfc: {classes: [3], xoff: 32 KiB}";
    const RunResult result =
        simulate(star_of("size: 64 KiB, transfers: 50", "profile: cx5_100g", pfc, "rate: 100 Gbps"));
    CHECK(failed(result) == 0);
    CHECK(counter(result, "client.gmac.pauses_heard") > 0);
    CHECK(counter(result, "client.rc.retransmissions") == 0);
    CHECK(counter(result, "s0.server.refused") == 0);
}

TEST_CASE("V-Q9: items with a DSCP of their own: one class is lossless, the other lossy, in one network", "[network]") {
    const RunConfig config = run_config(
        ScenarioFile(
            "system:\n  rnic: {profile: cx5_100g, rc: {timeout: 8, window: 1024}}\n  link: {rate: 100 Gbps}\n"
            "  hosts: {server: {}, kept: {count: 2}, lossy: {count: 2}}\n  switches: {s0: {mtu: 4200 B, latency: "
            "300 ns, buffer: 4 MiB, priorities: 8, pfc: {classes: [3], xoff: 32 KiB}}}\n  links: [{between: "
            "[server, s0]}, {between: [kept, s0]}, {between: [lossy, s0]}]\nrun:\n  size: 64 KiB\n  transfers: "
            "50\n  traffic: [{from: kept, to: server}, {from: lossy, to: server, dscp: 8}]\n")
            .load(),
        0, 0, 0);
    const RunResult result = simulate(config);
    CHECK(failed(result) == 0);
    CHECK(counter(result, "kept.rc.retransmissions") == 0);
    CHECK(counter(result, "kept.gmac.pauses_heard") > 0);
    CHECK(counter(result, "s0.server.refused") > 0);
    CHECK(counter(result, "lossy.rc.retransmissions") > 0);
}

TEST_CASE("the same without pauses: frames are dropped and sent again", "[network]") {
    const char* const small = "mtu: 4200 B, latency: 300 ns, buffer: 128 KiB";
    const RunResult result = simulate(
        star_of("size: 64 KiB, transfers: 50", "profile: cx5_100g, rc: {timeout: 6}", small, "rate: 100 Gbps"));
    CHECK(failed(result) == 0);
    CHECK(counter(result, "s0.server.refused") > 0);
    CHECK(counter(result, "client.rc.retransmissions") >= counter(result, "s0.server.refused"));
}

TEST_CASE("Errors: a frame that finds the receive buffer full is lost and counted, and comes again", "[network]") {
    // Three packets of 1,086 B fit, and the card is slower than the wire.
    constexpr const char* kSmall = "profile: cx5_100g, rc: {rx_buffer: 4218 B, timeout: 5}";
    RunConfig config = pair_of("operation: write, size: 64 KiB, transfers: 4", kSmall, "rate: 100 Gbps");
    verbs_of(config, 1).card.packet_interval = verbs_of(config, 1).card.clock.edge(kNanosecond * 200);
    const RunResult result = simulate(config);
    CHECK(failed(result) == 0);
    CHECK(counter(result, "b.rc.rx_overruns") > 0);
}

TEST_CASE("Errors: frames on the wire take no room in the receive buffer", "[network]") {
    // 64 packets of 1,086 B are under way at once, and the buffer takes a third of them; none waits for another.
    constexpr const char* kSmall = "personality: rc, rc: {rx_buffer: 24 KiB, window: 64}";
    const RunResult result =
        simulate(pair_of("operation: write, size: 128 KiB, transfers: 4", kSmall, "delay: 1 ms, rate: 1 Gbps"));
    CHECK(failed(result) == 0);
    CHECK(counter(result, "b.rc.rx_overruns") == 0);
    CHECK(counter(result, "a.rc.retransmissions") == 0);
}

TEST_CASE("V-U1: a message of UC that finds no room is lost, and ends that wait for it in turn are over", "[network]") {
    constexpr const char* kSmall = "profile: cx5_100g, rc: {rx_buffer: 4218 B}";
    RunConfig config = pair_of("service: uc, pattern: ping_pong, size: 64 KiB, transfers: 5", kSmall, "rate: 100 Gbps");
    verbs_of(config, 1).card.packet_interval = verbs_of(config, 1).card.clock.edge(kNanosecond * 200);
    const RunResult result = simulate(config);
    CHECK(counter(result, "b.rc.rx_overruns") > 0);
    CHECK(result.samples.size() == 5);
    CHECK(failed(result) == 5);
}

TEST_CASE("a packet that is sent again when thousands have been sent since is drawn anew", "[network]") {
    // READs of 4,096 packets: what is lost is asked for again when all others have come.
    const RunResult result = simulate(pair_of("operation: read, size: 4 MiB, transfers: 10, depth: 2",
                                              "profile: cx5_100g, rc: {retransmission: selective_repeat, timeout: 8}",
                                              "rate: 100 Gbps, loss: 0.1 %"));
    CHECK(failed(result) == 0);
    // Each draw is lost with 0.1 %: to lose one packet three times is of one in a billion.
    CHECK(counter(result, "a.rc.timeouts") <= 2);
}

TEST_CASE("V-S5: packets behind one that waits for a receive WQE wait, too: none is taken for lost", "[network]") {
    const RunResult result = simulate(
        pair_of("operation: send, size: 3000 B, transfers: 8, depth: 4", "profile: cx5_100g", "rate: 100 Gbps"));
    CHECK(failed(result) == 0);
    CHECK(counter(result, "b.rc.receive_wqe_reads") > 0);
    CHECK(counter(result, "b.rc.naks_sent") == 0);
    CHECK(counter(result, "a.rc.retransmissions") == 0);
}

TEST_CASE("a run that fails says which QPs wait, and for what", "[network]") {
    RunConfig config = pair_of("operation: send, size: 1 MiB, connections: 9, transfers: 4, depth: 2");
    ::setenv("RNICSIM_FAIL_AT", "1", 1);  // at the first look, 1 ms
    std::string said;
    try {
        static_cast<void>(simulate(config));
    } catch (const RunError& error) { said = error.what(); }
    ::unsetenv("RNICSIM_FAIL_AT");
    CHECK_THAT(said, ContainsSubstring("RNIC a: a.q0: RTS, send WQE 0 of 2 (send), PSN "));
    CHECK_THAT(said, ContainsSubstring(" without an answer, 7 tries left\n"));
    CHECK_THAT(said, ContainsSubstring("RNIC a: a.q7: "));
    CHECK_THAT(said, !ContainsSubstring("RNIC a: a.q8: "));
    CHECK_THAT(said, ContainsSubstring("RNIC a: and 1 QPs more\n"));
    CHECK_THAT(said, ContainsSubstring("RNIC b: b.q0: RTS, expects PSN "));
}

TEST_CASE("a card that waits for its next packet is at work: no round of UC is over", "[network]") {
    RunConfig config = pair_of("service: uc, pattern: ping_pong, size: 8 KiB, operation: write, transfers: 3",
                               "profile: cx5_100g, rc: {packet_interval: 96 us}");
    const RunResult result = simulate(config);
    CHECK(std::ranges::none_of(result.samples, &Sample::failed));
    CHECK(result.samples.size() == 3);
}

TEST_CASE("the watchdog waits while a host posts receives again, all at once", "[network]") {
    const RunConfig config = pair_of("operation: send, size: 8 B, transfers: 5000",
                                     "profile: cx5_100g}\n  host: {verbs: {receive: 1 ms, receive_queues: shared, "
                                     "shared_receives: 4096, srq_limit: 1}",
                                     "rate: 100 Gbps");
    CHECK(std::ranges::none_of(simulate(config).samples, &Sample::failed));
}

TEST_CASE("the watchdog waits while READs are answered, though nobody takes the answers any more", "[network]") {
    RunConfig config = pair_of("operation: read, size: 1 MiB, depth: 1, connections: 16, transfers: 1",
                               "personality: rc, rc: {timeout: 4, retry_cnt: 0}", "rate: 1 Gbps");
    config.watchdog = kMillisecond;  // the answers take 140
    CHECK(failed(simulate(config)) > 0);
}

TEST_CASE("interrupts in place of polling: every completion is taken all the same", "[network]") {
    RunConfig config = pair_of("operation: send, size: 100 B, transfers: 50, depth: 4");
    for (VerbsEndConfig& end : verbs_ends(config)) end.host.events = true;
    const RunResult result = simulate(config);
    CHECK(failed(result) == 0);
    CHECK(counter(result, "a.host.interrupts") > 0);
    CHECK(counter(result, "a.host.completions_taken") == 50);
    CHECK(counter(result, "b.host.completions_taken") == 50);
}

TEST_CASE("V-S9: an armed queue raises one interrupt, and what came before it was armed is announced", "[network]") {
    // A program that is busy for 3 us with each completion: several come while it is, and before it arms again. Where
    // the messages run out before it does so, nothing comes later that would announce them.
    for (unsigned transfers = 193; transfers <= 208; ++transfers) {
        RunConfig config = pair_of("operation: write, size: 8 B, depth: 16, transfers: " + std::to_string(transfers),
                                   "profile: cx5_100g", "rate: 100 Gbps");
        for (VerbsEndConfig& end : verbs_ends(config)) {
            end.host.events = true;
            end.host.costs.poll = end.host.clock.edge(kMicrosecond * 3);
        }
        INFO(transfers);
        CHECK(apart([&] {
                  const RunResult result = simulate(config);
                  if (failed(result) != 0 || counter(result, "a.host.completions_taken") != transfers)
                      throw RunError("completions are missing");
                  const std::uint64_t interrupts = counter(result, "a.pcie.interrupts");
                  if (interrupts >= 100 || interrupts != counter(result, "a.host.interrupts"))
                      throw RunError("an interrupt for each completion, or one that nobody heard");
                  return result;
              }).ran);
    }
}

TEST_CASE("V-R2: WQEs of a QP come to the decisions qp_interval apart, pushed or read", "[network]") {
    for (const Posting posting : {Posting::push, Posting::doorbell}) {
        RunConfig config = pair_of("size: 8 B, transfers: 8, depth: 8", "profile: cx5_100g, rc: {qp_interval: 3.2 us}",
                                   "rate: 100 Gbps");
        for (VerbsEndConfig& end : verbs_ends(config)) {
            end.host.posting = posting;
            end.host.costs.post = end.host.costs.push = end.host.costs.poll = Cycle{};
        }
        const auto outcome = apart([&] {
            RunResult result = simulate(config);
            std::vector<Time> ends;
            for (const Sample& f : result.samples) ends.push_back(f.end);
            std::ranges::sort(ends);
            for (std::size_t i = 1; i < ends.size(); ++i)
                if (ends[i] - ends[i - 1] < kMicrosecond * 3) throw RunError("two WQEs too near");
            return result;
        });
        CHECK(outcome.ran);
    }
}

TEST_CASE("V-S4: an ACK waits until the DMA engine has taken the payload", "[network]") {
    const auto time_with = [](const char* there) {
        RunConfig config = pair_of("size: 8 B, transfers: 4, depth: 1", "profile: cx5_100g", "rate: 100 Gbps");
        if (there != nullptr)
            verbs_of(config, 1).card.pcie.request_overhead = verbs_of(config, 1).card.clock.edge(kMicrosecond * 8);
        return config;
    };
    const auto slow = apart([&] {
        RunResult result = simulate(time_with("slow"));
        for (const Sample& f : result.samples)
            if (f.end - f.start < kMicrosecond * 8) throw RunError("the ACK did not wait");
        return result;
    });
    CHECK(slow.ran);
    const RunResult result = simulate(time_with(nullptr));
    for (const Sample& f : result.samples) CHECK(f.end - f.start < kMicrosecond * 3);
}

TEST_CASE("V-S4: while the port is busy only the newest ACK of a QP waits", "[network]") {
    // b answers small WRITEs that all ask for an ACK, and fills its port with packets of 4 KiB.
    const RunConfig config = run_config(
        ScenarioFile("system:\n  rnic: {profile: cx5_100g, rc: {pmtu: 4096 B, ack_interval: 1, tx_buffer: 1 MiB}}\n  "
                     "link: {rate: 100 Gbps}\n  hosts: {a: {}, b: {}}\n  links: [{between: [a, b]}]\nrun:\n  traffic:\n"
                     "    - {from: a, to: b, size: 16 B, transfers: 4000, depth: 64}\n"
                     "    - {from: b, to: a, size: 256 KiB, transfers: 60, depth: 4}\n")
            .load(),
        0, 0, 0);
    RunConfig fast = config;
    verbs_of(fast, 0).host.costs.post = verbs_of(fast, 0).host.costs.push = verbs_of(fast, 0).host.costs.poll = Cycle{};
    const RunResult result = simulate(fast);
    CHECK(failed(result) == 0);
    const std::uint64_t acks = counter(result, "b.rc.tx_packets") - counter(result, "b.rc.tx_payload_packets");
    INFO(acks << " ACKs");
    CHECK(acks < 3'000);
}

TEST_CASE("Errors: frames of others, which a switch floods, are counted and dropped", "[network]") {
    const RunResult result = simulate(star_of("operation: send, size: 500 B, transfers: 10", "profile: cx5_100g",
                                              "table: learning, mtu: 4200 B", "rate: 100 Gbps"));
    CHECK(failed(result) == 0);
    CHECK(counter(result, "client.rc.rx_other_destination") > 0);
    CHECK(counter(result, "client.rc.unknown_qp") == 0);
    CHECK(counter(result, "client.rc.wrong_peer") == 0);
}

TEST_CASE("V-R4: a window of PSNs bounds what a QP has under way", "[network]") {
    const auto last_of = [](const char* const rc, Time least, Time most) {
        const RunConfig config = pair_of("size: 16 KiB, transfers: 40", std::string("profile: cx5_100g") + rc,
                                         "rate: 100 Gbps, delay: 5 us");
        return apart([&] {
            const RunResult result = simulate(config);
            Time last;
            for (const Sample& f : result.samples) last = std::max(last, f.end);
            if (last < least || last > most) throw RunError("ended after " + std::to_string(last.ps) + " ps");
            return result;
        });
    };
    // A packet a round trip of more than 10 us, 16 packets a message; or no wait at all.
    CHECK(last_of(", rc: {window: 1}", kMicrosecond * (10 * 16 * 40), kMicrosecond * (14 * 16 * 40)).ran);
    CHECK(last_of("", kMicrosecond * 50, kMicrosecond * 200).ran);
}

TEST_CASE("V-R4: without a window a QP fills whatever the link holds", "[network]") {
    // 250 us each way at 100 Gb/s hold 6.25 MB, 5,700 packets, before the first ACK is back; the messages are 32 MiB.
    for (const bool bounded : {false, true}) {
        const RunConfig config = pair_of("size: 1 MiB, transfers: 32, depth: 32",
                                         std::string("profile: cx5_100g") + (bounded ? ", rc: {window: 4096}" : ""),
                                         "rate: 100 Gbps, delay: 250 us");
        const auto last = in_child([&] {
            Time end;
            for (const Sample& f : simulate(config).samples) end = std::max(end, f.end);
            return end.ps;
        });
        REQUIRE(last);
        constexpr std::int64_t kLine = std::int64_t{32} * 1024 * (1024 + 82) * 80 + 32 * 16 * 80;  // with RETHs
        constexpr std::int64_t kAround = (kMicrosecond * 510).ps;  // until the last ACK is back
        INFO(*last << " ps");
        CHECK((*last < kLine + kAround) == !bounded);
    }
}

TEST_CASE("the order in which modules are built changes nothing", "[network]") {
    const RunConfig config = star_of("size: 5000 B, transfers: 50", "profile: cx5_100g", "mtu: 4200 B, buffer: 64 KiB",
                                     "rate: 100 Gbps, loss: 1 %");
    const auto one = apart([&] { return simulate_in_order(config, BuildOrder::hosts_first); });
    const auto other = apart([&] { return simulate_in_order(config, BuildOrder::links_first); });
    CHECK(one.ran);
    CHECK(other.ran);
    CHECK(one.fingerprint == other.fingerprint);
}

}  // namespace
}  // namespace rnicsim
