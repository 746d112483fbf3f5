// SPDX-License-Identifier: Apache-2.0
// What hosts of rings do not read is refused, and what is refused names what would help, failover among it.
#include "testbench/tests/scenario/scenario_file.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string rings(const std::string& system, const std::string& keys = {}, const std::string& others = {}) {
    return R"(
system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps, delay: 390.4 ns}
  hosts: {near: {}, target: {}}
  links: [{between: [near, target]}]
  bridges: [{name: n0, between: [near, target], down: {probability: 50 %}}]
)" + system +
           "run:\n  repetitions: 1\n  traffic:\n" +
           "    - {name: ring, from: near, to: target, application: nts, transfers: 20" +
           (keys.empty() ? "" : ", nts: {" + keys + "}") + "}\n" + others;
}
const std::string kOver = "failover: true";
const std::string kWrites = "    - {name: w, from: near, to: target, operation: write, transfers: 20}\n";
const std::string kEchoes = "    - {name: e, from: near, to: target, application: echo, transfers: 20}\n";

}  // namespace

TEST_CASE("where failover takes the card of a host, its refusal names failover", "[applications]") {
    for (const std::string& other : {kWrites, kEchoes}) {
        CAPTURE(other);
        CHECK(rejection(rings("", "", other)).empty());
        CHECK_THAT(rejection(rings("", kOver, other)),
                   ContainsSubstring("expected a host to have one kind of those that use its card, or "
                                     "run.nts.failover: false of 'ring', which leaves the card alone"));
    }
    for (const char* const of_card : {"  host.verbs.receive_queues: shared\n", "  host.persistence.ddio: false\n"})
        CHECK_THAT(rejection(rings(of_card, kOver)),
                   ContainsSubstring("beside an application, or run.nts.failover: false of 'ring'"));
    const std::string two = rejection(rings("", "", kWrites + kEchoes));
    CHECK_THAT(two, ContainsSubstring("expected a host to have one kind"));
    CHECK_THAT(two, !ContainsSubstring("failover"));
}
TEST_CASE("keys of TCP beside a ring without failover are refused with failover", "[applications]") {
    for (const char* const key :
         {"tcp.mtu: 1400 B", "tcp.stack: user", "tcp.window: 32 KiB", "cpu.syscall: 1 us", "cpu.epoll: 1 us"}) {
        CAPTURE(key);
        const std::string system = std::string("  host.") + key + "\n";
        CHECK(rejection(rings(system, kOver)).empty());
        for (const std::string& other : {std::string(), kEchoes})
            CHECK_THAT(rejection(rings(system, "", other)),
                       ContainsSubstring("no program of the host uses TCP, expected run.nts.failover: true"));
    }
}
TEST_CASE("what rings' hosts do not read is refused", "[applications]") {
    for (const char* const of_qps : {"  rnic.rc.pmtu: 512 B\n", "  host.verbs.page: 2 MiB\n"}) {
        for (const std::string& keys : {std::string(), kOver})
            CHECK_THAT(rejection(rings(of_qps, keys)),
                       ContainsSubstring("no item of the host uses a QP, expected run.traffic with messages"));
        CHECK(rejection(rings(of_qps, "", kWrites)).empty());
        CHECK(rejection(rings(of_qps, "", kEchoes)).empty());
    }
}
TEST_CASE("what is of cards alone, or of loads, is refused where rings use neither", "[applications]") {
    const std::string memory = "  host.memory.latency: 50 ns\n";
    const std::string unread =
        "no card, and no other host's core, reads its memory, expected run.nts.index: ll, lr or rr";
    CHECK_THAT(rejection(rings(memory)), ContainsSubstring(unread));
    for (const char* const index : {"ll", "lr", "rr"}) {
        // Who is loaded from: who reads has an index in its memory, or who writes.
        CAPTURE(index);
        CHECK(rejection(rings(memory, std::string("answer: true, index: ") + index)).empty());
    }
    CHECK(rejection(rings(memory, "", kWrites)).empty());
    CHECK(rejection(rings(memory, kOver)).empty());
    std::string text = rings("");
    text.insert(text.find("transfers: 20"), "dscp: 40, ");
    CHECK_THAT(rejection(text), ContainsSubstring("dscp: has no effect: its messages go through a bridge alone"));
}
TEST_CASE("how fast a ring's slots are copied where they are not is refused", "[applications]") {
    const std::string cold = "  host.cpu.copy.cold: 1 GB/s\n", warm = "  host.cpu.copy.warm: 1 GB/s\n";
    const std::string small = "  host.cpu.llc: 16 KiB\n", slots = "slot: 32 KiB";
    CHECK(rejection(rings(warm)).empty());
    CHECK_THAT(rejection(rings(cold)), ContainsSubstring("each slot that it copies is in its caches"));
    CHECK_THAT(rejection(rings(small)), ContainsSubstring("expected system.host.cpu.llc below a slot"));
    CHECK_THAT(rejection(rings(warm + small, slots)), ContainsSubstring("no slot that it copies is in its caches"));
    CHECK(rejection(rings(cold + small, slots)).empty());
    CHECK(rejection(rings(cold + small, kOver)).empty());  // TCP copies what it gets at once
}
TEST_CASE("what a thread pays that a doorbell wakes is read where one may ring, and nowhere else", "[applications]") {
    const std::string rung = "notify: doorbell", both = rung + ", answer: true";
    // By host.
    const auto file = [](const std::string& keys, const std::string& near, const std::string& target) {
        std::string text = rings("", keys);
        text.replace(text.find("near: {}"), 8, "near: {" + near + "}");
        return text.replace(text.find("target: {}"), 10, "target: {" + target + "}");
    };
    for (const char* const key : {"host.cpu.wake: 5 us", "host.cpu.event_read: 5 us"}) {
        CAPTURE(key);
        CHECK(rejection(file(rung, "", key)).empty());
        CHECK(rejection(file(both, key, key)).empty());
        // The reader of a queue that may be full tells how much room it has, by a message of its own.
        CHECK(rejection(file(rung + ", partitions: 1, queue: 2", key, "")).find("no doorbell") == std::string::npos);
        CHECK_THAT(rejection(file(rung, key, "")),
                   ContainsSubstring("no doorbell wakes the host, expected run.nts.notify: doorbell"));
        CHECK_THAT(rejection(file("", "", key)),
                   ContainsSubstring("no doorbell wakes the host, expected run.nts.notify: doorbell"));
    }
}
