// SPDX-License-Identifier: Apache-2.0
// Hosts with a persistence path: how a scenario asks for one, and that it changes nothing where it has no time of its
// own.
#include "model/faults/random_faults.h"
#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "model/system.h"
#include "testbench/kits/kits.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>

namespace rnicsim {
namespace {

using Catch::Matchers::ContainsSubstring;

/// `host`, `a`: keys of all hosts, and of a's own.
std::string two_hosts(const std::string& host, const std::string& a = "") {
    return "system:\n  rnic: {personality: rc}\n  host: {" + host + "}\n  hosts: {a: {host: {" + a +
           "}}, b: {}}\n  links: [{between: [a, b]}]\nrun:\n  traffic: [{from: a, to: b, transfers: 4}]\n";
}

RunConfig loaded(const std::string& text) { return run_config(ScenarioFile(text).load(), 0, 0, 0); }

TEST_CASE("no host has a persistence path by itself", "[persistence]") {
    const RunConfig config = loaded(two_hosts(""));
    CHECK_FALSE(verbs_of(config, 0).host.persistence);
    // Nor by what would count beside a path only.
    for (const char* const key :
         {"flush: {base: 80 ns}", "flush: {line: 8 ns}", "no_snoop: hint", "no_snoop_write: false"}) {
        CAPTURE(key);
        CHECK_FALSE(verbs_of(loaded(two_hosts("persistence: {" + std::string(key) + "}")), 0).host.persistence);
    }
    CHECK(verbs_of(loaded(two_hosts("persistence: {domain: adr}")), 0).host.persistence);
    RandomFaults faults(fault_config(config));
    const KitEnds ends({1 << 23, 1 << 23});
    System system("system", config, ends, faults, nullptr);
    CHECK(verbs_end(system, 0).host.persistence() == nullptr);
}

TEST_CASE("any key of the section gives a host one, with the defaults of the others", "[persistence]") {
    for (const char* const keys :
         {"persistence: {domain: adr}", "persistence: {}", "persistence: {imc: {latency: 40 ns}}"}) {
        const RunConfig all = loaded(two_hosts(keys)), one = loaded(two_hosts("", keys));
        INFO(keys);
        CHECK(verbs_of(all, 0).host.persistence);
        CHECK(verbs_of(all, 1).host.persistence);
        CHECK(verbs_of(one, 0).host.persistence);
        CHECK_FALSE(verbs_of(one, 1).host.persistence);
    }
    CHECK_FALSE(verbs_of(loaded(two_hosts("persistence: null")), 0).host.persistence);
    const RunConfig config = loaded(two_hosts("persistence: {}"));
    RandomFaults faults(fault_config(config));
    const KitEnds ends({1 << 23, 1 << 23});
    System system("system", config, ends, faults, nullptr);
    REQUIRE(verbs_end(system, 1).host.persistence() != nullptr);
    CHECK(verbs_end(system, 1).host.persistence()->domain() == Domain::adr);
}

TEST_CASE("what is not written is what the model has by itself", "[persistence]") {
    const PersistenceConfig read = verbs_of(loaded(two_hosts("persistence: {}")), 0).host.persistence.value();
    const PersistenceConfig own;
    CHECK(read.domain == own.domain);
    CHECK(read.ddio == own.ddio);
    CHECK(read.no_snoop_write == own.no_snoop_write);
    CHECK(read.no_snoop == own.no_snoop);
    CHECK(read.iio.capacity == own.iio.capacity);
    CHECK(read.iio.latency == own.iio.latency);
    CHECK(read.iio.bandwidth == own.iio.bandwidth);
    CHECK(read.iio.hold == own.iio.hold);
    CHECK(read.iio.until_pushed == own.iio.until_pushed);
    CHECK(read.llc.capacity == own.llc.capacity);
    CHECK(read.llc.latency == own.llc.latency);
    CHECK(read.llc.evict == own.llc.evict);
    CHECK(read.flush.base == own.flush.base);
    CHECK(read.flush.line == own.flush.line);
    CHECK(read.imc.capacity == own.imc.capacity);
    CHECK(read.imc.latency == own.imc.latency);
    CHECK(read.scm.write == own.scm.write);
    CHECK(read.scm.read == own.scm.read);
    CHECK(read.scm.modules == own.scm.modules);
    CHECK(read.scm.read_latency == own.scm.read_latency);
    CHECK(read.scm.line == own.scm.line);
}

TEST_CASE("each key is read to where it belongs", "[persistence]") {
    const RunConfig all =
        loaded(two_hosts("persistence: {domain: wsp, ddio: false, no_snoop: literal, "
                         "iio: {capacity: 64 B, latency: 1 ns, bandwidth: 1 GB/s, hold: 2 us}, "
                         "llc: {capacity: 128 B, latency: 3 ns, evict: random, dirty: true}, "
                         "imc: {capacity: 192 B, latency: 6 ns}, scm: {write: 2 GB/s, read: 3 GB/s, modules: 6, "
                         "read_latency: 7 ns, line: 512 B}}"));
    const PersistenceConfig config = verbs_of(all, 0).host.persistence.value();
    CHECK(config.domain == Domain::wsp);
    CHECK_FALSE(config.ddio);
    CHECK(config.no_snoop == NoSnoop::literal);
    CHECK(config.iio.capacity == 64);
    CHECK(config.iio.latency == kNanosecond);
    CHECK(config.iio.bandwidth == 1'000'000'000);
    CHECK(config.iio.hold == kMicrosecond * 2);
    CHECK_FALSE(config.iio.until_pushed);
    CHECK(config.llc.capacity == 128);
    CHECK(config.llc.latency == kNanosecond * 3);
    CHECK(config.llc.evict == Eviction::random);
    CHECK(config.llc.dirty);
    CHECK(config.imc.capacity == 192);
    CHECK(config.imc.latency == kNanosecond * 6);
    CHECK(config.scm.write == 2'000'000'000);
    CHECK(config.scm.read == 3'000'000'000);
    CHECK(config.scm.modules == 6);
    CHECK(config.scm.read_latency == kNanosecond * 7);
    CHECK(config.scm.line == 512);
    // What has no effect beside these: a host whose processor flushes, and one that heeds an attribute.
    std::string flushes = two_hosts("persistence: {no_snoop_write: true, flush: {base: 4 ns, line: 5 ns}}");
    flushes.replace(flushes.find("rnic: {personality: rc}"), 23,
                    "rnic: {personality: rc, rc: {pm: {data_no_snoop: true}}}");
    flushes.replace(flushes.find("transfers: 4}"), 13, "transfers: 4, scheme: fig3}");
    const PersistenceConfig other = verbs_of(loaded(flushes), 1).host.persistence.value();
    CHECK(other.no_snoop_write);
    CHECK(other.flush.base == kNanosecond * 4);
    CHECK(other.flush.line == kNanosecond * 5);
    const PersistenceConfig pushed =
        verbs_of(loaded(two_hosts("persistence: {iio: {hold: until_pushed}}")), 0).host.persistence.value();
    CHECK(pushed.iio.until_pushed);
    CHECK(pushed.iio.hold == Time{});
}

TEST_CASE("a listing has the section where the scenario has it, and gives the same hosts", "[persistence]") {
    for (const std::string& text : {two_hosts(""), two_hosts("persistence: {iio: {hold: until_pushed}}"),
                                    two_hosts("", "persistence: {ddio: false}")}) {
        const Scenario first = ScenarioFile(text).load();
        const Scenario again = ScenarioFile(first.resolved).load();
        CHECK(again.resolved == first.resolved);
        CHECK((first.resolved.find("persistence") == std::string::npos) == (text == two_hosts("")));
        for (std::size_t host = 0; host < 2; ++host) {
            const auto& persistence = verbs_of(first.points[0].configs[0], host).host.persistence;
            const auto& listed = verbs_of(again.points[0].configs[0], host).host.persistence;
            REQUIRE(listed.has_value() == persistence.has_value());
            if (listed) CHECK(listed->iio.until_pushed == persistence->iio.until_pushed);
            if (listed) CHECK(listed->ddio == persistence->ddio);
        }
    }
}

TEST_CASE("what the reader refuses of it", "[persistence]") {
    const auto said = [](const std::string& keys) { return rejection(two_hosts("persistence: {" + keys + "}")); };
    CHECK_THAT(said("iio: {capacity: 100 B}"),
               ContainsSubstring("persistence.iio.capacity: found '100 B', expected a multiple of 64 B"));
    CHECK_THAT(said("llc: {capacity: 1000 B}"), ContainsSubstring("persistence.llc.capacity"));
    CHECK_THAT(said("imc: {capacity: 65 B}"), ContainsSubstring("persistence.imc.capacity"));
    CHECK_THAT(said("iio: {capacity: 0 B}"), ContainsSubstring("expected 64 B to 1 MiB"));
    CHECK_THAT(said("iio: {hold: pushed}"), ContainsSubstring("such as 0 ns, or until_pushed"));
    CHECK_THAT(said("iio: {hold: 2 ms}"), ContainsSubstring("0 ns to 1 ms, or until_pushed"));
    CHECK_THAT(said("scm: {modules: 13}"), ContainsSubstring("1 to 12"));
    CHECK_THAT(said("scm: {line: 100 B}"), ContainsSubstring("64, 128, 256"));
    CHECK_THAT(said("domain: dram"), ContainsSubstring("none, adr, eadr or wsp"));
    CHECK_THAT(rejection("system: {hosts: {a: {host: {persistence: {ddio: false}}}, b: {}}, links: [{between: [a, "
                         "b]}]}\nrun: {traffic: [{from: a, to: b}]}\n"),
               ContainsSubstring("has no effect, 'a' has a DRP RNIC"));
    CHECK_THAT(rejection("system: {host: {persistence: {ddio: false}}}\n"), ContainsSubstring("is for networks"));
    // A READ waits for what the peer's IIO holds, and its timer must not expire before.
    CHECK_THAT(rejection(two_hosts("persistence: {iio: {hold: 1 ms}}"), {{"system.rnic.rc.timeout", "7"}}),
               ContainsSubstring("expected at least 8"));
    CHECK(rejection(two_hosts("persistence: {iio: {hold: 1 ms}}"), {{"system.rnic.rc.timeout", "8"}}).empty());
}

RunConfig pair_with(const std::string& item, const std::string& rnic) {
    return pair_of(item + ", transfers: 60", "personality: rc" + rnic);
}

TEST_CASE("a path without times of its own gives the times of a host without one", "[persistence]") {
    PersistenceConfig config;
    config.ddio = false;
    config.iio.latency = {};
    config.iio.bandwidth = 1'000'000'000'000'000;
    for (const char* const item :
         {"operation: write, size: 3000 B, depth: 4", "operation: read, size: 3000 B", "operation: send, size: 100 B",
          "operation: write, size: 64 B, pattern: ping_pong", "operation: fetch_add, size: 8 B"}) {
        for (const bool events : {false, true}) {
            RunConfig off = pair_with(item, "");
            for (VerbsEndConfig& end : verbs_ends(off)) end.host.events = events;
            RunConfig on = off;
            for (VerbsEndConfig& end : verbs_ends(on)) end.host.persistence = config;
            const Outcome without = simulate_apart(off), with = simulate_apart(on);
            INFO(item << (events ? ", events" : ""));
            REQUIRE(without.ran);
            REQUIRE(with.ran);
            // A handler counts entries when they can be seen; without a path, those that have arrived.
            if (!events) CHECK(with.fingerprint == without.fingerprint);
        }
    }
}

TEST_CASE("hosts with a path: all ends well, in whatever order they are built", "[persistence]") {
    RunConfig config =
        pair_with("mix: {write: 40 %, send: 30 %, read: 30 %}, size: 3000 B, depth: 4, connections: 3", "");
    PersistenceConfig slow;
    slow.iio.latency = kMicrosecond;
    slow.iio.capacity = 64;
    slow.llc.capacity = 640;
    slow.llc.evict = Eviction::random;
    for (VerbsEndConfig& end : verbs_ends(config)) end.host.persistence = slow;
    config.links[0].loss = 0.01;
    const auto one = apart([&] { return simulate_in_order(config, BuildOrder::hosts_first); });
    const auto other = apart([&] { return simulate_in_order(config, BuildOrder::links_first); });
    REQUIRE(one.ran);
    REQUIRE(other.ran);
    CHECK(one.fingerprint == other.fingerprint);
    for (VerbsEndConfig& end : verbs_ends(config)) end.host.persistence.reset();
    CHECK(simulate_apart(config).fingerprint != one.fingerprint);
}

}  // namespace
}  // namespace rnicsim
