// SPDX-License-Identifier: Apache-2.0
// Is an item of an application read strictly?
#include "testbench/tests/applications/pair_of.h"

#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a key of another application is refused", "[applications]") {
    CHECK_THAT(rejection(pair_text("application: echo, wrong: {fault: mute}")),
               ContainsSubstring("the item has another application, or none"));
    CHECK_THAT(rejection(pair_text("operation: write, echo: {memory: copy}")),
               ContainsSubstring("the item has another application, or none"));
}
TEST_CASE("what an application decides no key says", "[applications]") {
    for (const char* const key : {"operation: read", "service: uc", "pattern: ping_pong", "outstanding: 4",
                                  "regions: host", "scheme: fig10", "mix: {send: 100 %}", "signal_every: 2"}) {
        CHECK_THAT(rejection(pair_text(std::string("application: echo, ") + key)),
                   ContainsSubstring("its application says what is posted"));
    }
    CHECK_THAT(rejection(pair_text("application: wrong, depth: 4")),
               ContainsSubstring("its application has one operation of a connection under way"));
}
TEST_CASE("an application's own rule names the key, what was found and what was expected", "[applications]") {
    CHECK_THAT(rejection(pair_text("application: wrong, transfers: 7")),
               ContainsSubstring("found '7', expected another number than 7"));
}
TEST_CASE("a host has one application, between RoCEv2 RNICs", "[applications]") {
    CHECK_THAT(rejection(pair_text("application: echo}\n    - {from: server, to: client, operation: write")),
               ContainsSubstring("expected a host to have one kind"));
    CHECK_THAT(rejection(pair_text("application: echo}\n    - {from: server, to: client, application: wrong")),
               ContainsSubstring("of application echo: expected a host to have one kind"));
    CHECK_THAT(rejection(R"(
system:
  hosts: {a: {rnic.personality: plain}, b: {rnic.personality: plain}}
  links: [{between: [a, b]}]
run:
  traffic:
    - {from: a, to: b, application: echo}
)"),
               ContainsSubstring("expected hosts with one, such as those of rnic: {profile: cx5_100g}"));
}
TEST_CASE("costs of what nobody does are refused", "[applications]") {
    const auto with = [](const std::string& memory, const std::string& key) {
        return pair_text("application: echo, transfers: 5, echo: {memory: " + memory + "}",
                         "  host: {cpu: {" + key + "}}\n");
    };
    CHECK_THAT(rejection(with("pool", "registration.base: 20 us")), ContainsSubstring("has no effect"));
    CHECK_NOTHROW(ScenarioFile(with("each", "registration.base: 20 us")).load());
    CHECK_THAT(rejection(with("each", "ipc: 2 us")), ContainsSubstring("has no effect: its program calls nobody"));
    CHECK_THAT(rejection(with("each", "touch: 2 us")),
               ContainsSubstring("has no effect: its program touches no new memory"));
}
TEST_CASE("where one number of an application is not enough, the error names two", "[applications]") {
    const auto clients = [](const std::string& keys) {
        return R"(
system:
  rnic: {profile: cx5_100g}
  hosts: {client: {count: 256}, server: {}}
  switches: {top: {mtu: 4200 B, buffer: 64 MiB}}
  links: [{between: [client, top]}, {between: [server, top]}]
run:
  repetitions: 1
  traffic:
    - {name: all, from: client, to: server, application: kv, transfers: 1, kv: {transport: rdma)" +
               keys + "}}\n";
    };
    CHECK_THAT(rejection(clients("")), ContainsSubstring("run.kv.receives: found '1024', expected at most 157 beside "
                                                         "run.kv.signal_every: 1: 'server' has at most"));
    CHECK_NOTHROW(ScenarioFile(clients(", receives: 157, signal_every: 1")).load());
}
TEST_CASE("programs that use TCP alone have threads", "[applications]") {
    const auto mean = [](unsigned threads) {
        return in_child([&] {
                   const RunResult result = simulate(
                       pair_config("application: kv, transfers: 100, connections: 16, kv: {transport: tcp}",
                                   "  host: {cpu: {cores: 4}, verbs: {threads: " + std::to_string(threads) + "}}\n"));
                   return result.samples.back().end.ps;
               })
            .value();
    };
    CHECK(mean(4) * 2 < mean(2) * 3);
}
TEST_CASE("a wait behind an operation wants another one that follows it", "[applications]") {
    const auto thinks = [](const std::string& item) { return pair_text("think: 5 us, application: " + item); };
    const auto without = ContainsSubstring("nothing is asked for when another one is over, expected");
    CHECK_THAT(rejection(thinks("echo, transfers: 1")), without);
    CHECK_THAT(rejection(thinks("kv, transfers: 4, depth: 4")), without);
    CHECK_NOTHROW(ScenarioFile(thinks("kv, transfers: 4, depth: 3")).load());
    CHECK_THAT(rejection(thinks("plasma, transfers: 1, connections: 2")), without);
    CHECK_NOTHROW(ScenarioFile(thinks("plasma, transfers: 1, connections: 2, plasma: {order: turn}")).load());
}
TEST_CASE("what is done about a missing receive WQE is refused where none is missing", "[applications]") {
    const auto with = [](const std::string& key, const std::string& plasma) {
        return pair_text("application: plasma, transfers: 2, sizes: [4 KiB, 64 KiB], plasma: {" + plasma + "}",
                         "  rnic.rc." + key + "\n");
    };
    for (const char* const key : {"rnr_retry: 3", "min_rnr_timer: 3"}) {
        CHECK_THAT(rejection(with(key, "recv_wrs: 2")), ContainsSubstring("can lack a receive WQE") &&
                                                            ContainsSubstring("expected another run.application"));
        CHECK_THAT(
            rejection(pair_text("application: kv, kv: {transport: tcp}", std::string("  rnic.rc.") + key + "\n")),
            ContainsSubstring("expected another run.application, or none"));
        CHECK_NOTHROW(ScenarioFile(with(key, "recv_wrs: 1")).load());
        CHECK_NOTHROW(ScenarioFile(with(key, "chunk: 1 KiB, window: 2, slots: shared, unsafe: true")).load());
    }
}
TEST_CASE("frames of streams fit into cards and switches", "[applications]") {
    const std::string item = "application: plasma, transfers: 2";
    CHECK_THAT(rejection(pair_text(item, "  host.tcp.mtu: 9000 B\n")),
               ContainsSubstring("found '9000 B' on 'client', expected at most 4200 B, the MTU of the card"));
    CHECK_THAT(rejection(R"(
system:
  rnic: {profile: cx5_100g}
  host: {cpu: {profile: tianhe_2022}}
  rnic.rc.pmtu: 1024 B
  hosts: {owner: {}, user: {}}
  switches: {sw: {}}
  links: [{between: [owner, sw]}, {between: [user, sw]}]
run:
  traffic:
    - {from: user, to: owner, application: plasma}
)"),
               ContainsSubstring("the MTU of switch 'sw'"));
}
TEST_CASE("interrupts of streams cost what interrupts cost; without verbs nothing else of them does",
          "[applications]") {
    const std::string item = "application: plasma, transfers: 2, plasma: {protocol: socket}";
    CHECK_NOTHROW(ScenarioFile(pair_text(item, "  host.cpu.wake: 2 us\n")).load());
    CHECK_NOTHROW(ScenarioFile(pair_text(item, "  host.software.interrupt_latency: 3 us\n")).load());
    CHECK_THAT(rejection(pair_text(item, "  host.cpu.event_read: 2 us\n")), ContainsSubstring("has no effect"));
    CHECK_THAT(rejection(pair_text(item, "  host.verbs.post: 2 us\n")), ContainsSubstring("has no effect"));
    CHECK_THAT(rejection(pair_text(item, "  host.tcp.stack: user\n  host.cpu.wake: 2 us\n")),
               ContainsSubstring("has no effect"));
}
TEST_CASE("a key of Plasma that its protocol does not read is refused", "[applications]") {
    for (const char* const keys : {"protocol: read, chunk: 8 KiB", "protocol: read, threshold: 8 KiB",
                                   "protocol: socket, window: 2", "protocol: sendrecv, write: 8 KiB"})
        CHECK_THAT(rejection(pair_text(std::string("application: plasma, plasma: {") + keys + "}")),
                   ContainsSubstring("has no effect"));
}
TEST_CASE("hybrid reads keys of the protocols by which its sizes go", "[applications]") {
    const auto with = [](const std::string& sizes, const std::string& keys, const std::string& system = {}) {
        return pair_text("application: plasma, sizes: [" + sizes + "], plasma: {protocol: hybrid" + keys + "}", system);
    };
    const std::string registers = "  host.cpu.registration.base: 20 us\n";
    CHECK_THAT(rejection(with("64 KiB, 32 KiB", ", chunk: 8 KiB")), ContainsSubstring("has no effect"));
    CHECK_THAT(rejection(with("1 KiB, 31 KiB", "", registers)), ContainsSubstring("has no effect"));
    CHECK_NOTHROW(ScenarioFile(with("1 KiB, 32 KiB", ", chunk: 8 KiB", registers)).load());
}
