// SPDX-License-Identifier: Apache-2.0
// A bridge between two hosts: what crosses it, when, in which order, and what does not.
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/bridge_bench.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::uint64_t kThere = 0x4000;  // where window 0 leads

ntb::Config small() {
    ntb::Config config;
    config.window = BridgeBench::kWindow;
    return config;
}
std::vector<std::uint8_t> bytes(std::size_t n, std::uint8_t first = 1) {
    std::vector<std::uint8_t> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::uint8_t>(first + i);
    return all;
}
/// 40 ns down to the port, on the link, 80 ns, 16 at each side. A byte takes 65/1024 ns.
constexpr std::int64_t crossing(std::int64_t link_bytes) {
    return 40'000 + (link_bytes * 65'000 + 1'023) / 1'024 + 80'000 + 32'000;
}

/// Both windows are open from 1 us on.
class Joined {
  public:
    explicit Joined(const ntb::Config& config = small(), const BridgeBench::Options& options = {})
        : bench("bench", config, options), hosts{*bench.hosts[0], *bench.hosts[1]} {
        for (BridgeBench::BenchHost* host : {&hosts.a, &hosts.b})
            host->card.at(1'000'000, [host](Cycle now) { host->open(now, kThere); });
    }
    void run(Time time = kMicrosecond * 200) {
        sc_core::sc_start(to_sc_time(time));
        CHECK(bench.bridge.idle());
        for (const unsigned side : {0U, 1U}) {
            CHECK(bench.bridge.side(side).credits_out().headers == 0);
            CHECK(bench.bridge.side(side).credits_out().data == 0);
        }
        CHECK(bench.pool.in_use() == 0);
    }
    [[nodiscard]] static std::vector<std::uint8_t> memory(BridgeBench::BenchHost& of, std::uint64_t at,
                                                          std::uint64_t n) {
        const auto there = of.memory.at(at, n);
        return {there.begin(), there.end()};
    }

    BridgeBench bench;
    struct Hosts {
        BridgeBench::BenchHost &a, &b;
    } hosts;
};

TEST_CASE("B1 a store is in the other host's memory, at the translated address, to the picosecond", "[bridge]") {
    Joined bridge;
    BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
    const std::vector<std::uint8_t> eight = bytes(8), line = bytes(64, 100);
    a.card.at(2'000'000, [&](Cycle now) { a.store(now, 0x108, eight); });
    a.card.at(3'000'000, [&](Cycle now) { a.store(now, 0x140, line); });
    bridge.run();
    REQUIRE(b.writes.size() == 2);
    CHECK(b.writes[0].at.ps == 2'000'000 + crossing(24 + 8));
    CHECK(b.writes[0].address == kThere + 0x108);
    CHECK(b.writes[1].at.ps == 3'000'000 + crossing(24 + 64));
    CHECK(Joined::memory(b, kThere + 0x140, 64) == line);
    CHECK(a.side.crossed() == ntb::Crossed{.register_writes = 2,
                                           .register_bytes = 16,
                                           .writes = 2,
                                           .write_bytes = 72,
                                           .partial = 1,
                                           .delivered = 2,
                                           .delivered_bytes = 72});
    CHECK(a.writes.empty());
}
TEST_CASE("a load reads the other host's memory, to the picosecond", "[bridge]") {
    Joined bridge;
    BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
    b.memory.at(kThere + 0x200, 1)[0] = 0x5A;
    a.card.at(2'000'000, [&](Cycle now) { a.load(now, a.side.window_at(0) + 0x200, 8); });
    bridge.run();
    REQUIRE(a.loads.size() == 1);
    CHECK(a.loads[0].bytes == std::vector<std::uint8_t>{0x5A, 0, 0, 0, 0, 0, 0, 0});
    CHECK(a.loads[0].at.ps == 2'000'000 + crossing(24) + crossing(28) + 508);  // behind an Ack DLLP
    CHECK(a.side.crossed() == ntb::Crossed{.register_writes = 2, .register_bytes = 16, .reads = 1});
}
TEST_CASE("B1 what no window takes is an unsupported request, and memory stays as it is", "[bridge]") {
    Joined bridge;
    BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
    const std::vector<std::uint8_t> eight = bytes(8);
    a.card.at(2'000'000, [&](Cycle now) { a.open(now, kThere, 0x120); });
    a.card.at(3'000'000, [&](Cycle now) {
        a.store(now, 0x118, eight);  // the last that the limit lets pass
        a.store(now, 0x11C, eight);  // half of it
        a.store(now, 0x120, eight);  // nothing of it
    });
    a.card.at(4'000'000, [&](Cycle now) { a.load(now, a.side.window_at(0) + 0x120, 8, 1); });
    a.card.at(5'000'000, [&](Cycle now) { a.write_register(now, 0x3000, std::uint32_t{1}); });
    a.card.at(5'000'000, [&](Cycle now) { a.load(now, a.side.registers_at() + 0x3000, 4, 2); });
    a.card.at(6'000'000, [&](Cycle now) { a.load(now, a.side.registers_at() + ntb::offset::kMisses, 2, 3); });
    bridge.run();
    REQUIRE(b.writes.size() == 1);
    CHECK(b.writes[0].address == kThere + 0x118);
    REQUIRE(a.loads.size() == 3);
    CHECK(a.loads[0].bytes == std::vector<std::uint8_t>(8, 0xFF));
    CHECK(a.loads[1].bytes == std::vector<std::uint8_t>(4, 0xFF));
    CHECK(a.loads[2].bytes == std::vector<std::uint8_t>{3, 0});
    CHECK(a.side.crossed().unsupported == 5);
    CHECK(a.side.crossed().refused == 2);
}
TEST_CASE("B2 each direction keeps its order, and a completion does not pass stores", "[bridge]") {
    Joined bridge;
    BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
    const std::vector<std::uint8_t> line = bytes(64);
    for (unsigned i = 0; i < 40; ++i) {  // faster than the link
        a.card.at(2'000'000 + i, [&, i](Cycle now) { a.store(now, 64 * i, line); });
        b.card.at(2'000'000 + i, [&, i](Cycle now) { b.store(now, 64 * i, line); });
    }
    a.card.at(2'000'010, [&](Cycle now) { a.load(now, a.side.window_at(0), 8); });
    bridge.run();
    for (const BridgeBench::BenchHost* host : {&a, &b}) {
        REQUIRE(host->writes.size() == 40);
        for (unsigned i = 0; i < 40; ++i) CHECK(host->writes[i].address == kThere + 64 * i);
    }
    // When b's port had the load, all of its lines were in front of the completion.
    REQUIRE(a.loads.size() == 1);
    CHECK(a.loads[0].told > a.writes.back().at);
}
TEST_CASE("B2 a completion is behind the stores that its host had made, whatever these wait for", "[bridge]") {
    ntb::Config by_rate = small(), by_credits = small(), by_link = small();
    by_rate.rate = 1'000'000'000;
    by_credits.credits.headers = 1;
    by_link.generation = by_link.lanes = 1;
    for (const ntb::Config& config : {by_rate, by_credits, by_link}) {
        struct Came {
            std::int64_t load = 0, last_before = 0, first_behind = 0, relaxed = 0;
        };
        const auto came = in_child([&] {
            Joined bridge(config);
            BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
            const std::vector<std::uint8_t> line = bytes(64);
            for (unsigned i = 0; i < 16; ++i) b.card.at(2'000'000, [&, i](Cycle now) { b.store(now, 64 * i, line); });
            a.card.at(2'000'000, [&](Cycle now) { a.load(now, a.side.window_at(0), 8); });
            a.card.at(2'000'000, [&](Cycle now) {
                a.root.read(now, a.side.window_at(0) + 64, 8, {&a, 1}, {.relaxed_ordering = true});
            });
            // Far behind the time at which b's memory was read: the completion does not wait for these.
            for (unsigned i = 16; i < 24; ++i) b.card.at(2'700'000, [&, i](Cycle now) { b.store(now, 64 * i, line); });
            bridge.run();
            Came of{0, a.writes.at(15).at.ps, a.writes.at(16).at.ps, 0};
            for (const PortsBench::Loaded& load : a.loads) (load.context == 0 ? of.load : of.relaxed) = load.told.ps;
            return of;
        });
        REQUIRE(came);
        CAPTURE(config.rate, config.credits.headers, config.lanes);
        CHECK(came->load > came->last_before);
        CHECK(came->load < came->first_behind);
        CHECK(came->relaxed < came->last_before);
    }
}
TEST_CASE("B3 a doorbell interrupts the other host behind the stores before it", "[bridge]") {
    Joined bridge;
    BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
    b.side.set_first_vector(7);
    const std::vector<std::uint8_t> line = bytes(64);
    const auto ring = [&](Cycle now) { a.write_register(now, ntb::offset::kDoorbells + 4 * 3, std::uint32_t{1}); };
    a.card.at(2'000'000, [&](Cycle now) {
        a.store(now, 0, line);
        ring(now);
        a.store(now, 64, line);
    });
    a.card.at(3'000'000, ring);  // merges: nobody has cleared it
    b.card.at(4'000'000, [&](Cycle now) { b.write_register(now, ntb::offset::kStatus, std::uint64_t{1} << 3U); });
    a.card.at(5'000'000, ring);
    b.card.at(6'000'000, [&](Cycle now) {
        b.write_register(now, ntb::offset::kDisable, std::uint64_t{1} << 3U);
        b.write_register(now, ntb::offset::kStatus, std::uint64_t{1} << 3U);
    });
    a.card.at(7'000'000, ring);  // masked
    b.card.at(8'000'000, [&](Cycle now) { b.write_register(now, ntb::offset::kDisable, std::uint64_t{0}); });
    bridge.run();
    REQUIRE(b.interrupts.size() == 3);
    for (const auto& [at, vector] : b.interrupts) CHECK(vector == 10);
    REQUIRE(b.writes.size() == 2);
    CHECK(b.interrupts[0].first > b.writes[0].at);
    CHECK(b.interrupts[0].first < b.writes[1].at);
    CHECK(b.interrupts[1].first.ps == 5'000'000 + crossing(24 + 4));
    CHECK(b.interrupts[2].first.ps == 8'000'000 + crossing(24 + 8));  // its own host has let it come
    CHECK(a.side.crossed().doorbells == 4);
    CHECK(a.side.crossed().interrupts == 3);
    CHECK(b.side.registers().status() == 8);
}
TEST_CASE("B4 scratchpads: the last who writes wins, and both see it", "[bridge]") {
    Joined bridge;
    BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
    a.card.at(2'000'000, [&](Cycle now) { a.write_register(now, ntb::offset::kPeerScratchpads + 20, 0x1111U); });
    b.card.at(2'000'001, [&](Cycle now) { b.write_register(now, ntb::offset::kScratchpads + 20, 0x2222U); });
    b.card.at(3'000'000, [&](Cycle now) { b.load(now, b.side.registers_at() + ntb::offset::kScratchpads + 20, 4); });
    a.card.at(3'000'000,
              [&](Cycle now) { a.load(now, a.side.registers_at() + ntb::offset::kPeerScratchpads + 20, 4); });
    // In the same instant side 0 is first.
    a.card.at(4'000'000, [&](Cycle now) { a.write_register(now, ntb::offset::kPeerScratchpads + 24, 0x3333U); });
    b.card.at(4'000'000, [&](Cycle now) { b.write_register(now, ntb::offset::kScratchpads + 24, 0x4444U); });
    b.card.at(5'000'000, [&](Cycle now) { b.load(now, b.side.registers_at() + ntb::offset::kScratchpads + 24, 4); });
    bridge.run();
    const std::vector<std::uint8_t> expected{0x22, 0x22, 0, 0};
    REQUIRE(a.loads.size() == 1);
    REQUIRE(b.loads.size() == 2);
    CHECK(b.loads[1].bytes == std::vector<std::uint8_t>{0x44, 0x44, 0, 0});
    CHECK(a.loads[0].bytes == expected);
    CHECK(b.loads[0].bytes == expected);
    CHECK(a.loads[0].at.ps == 3'000'000 + crossing(24) + crossing(24));
}
TEST_CASE("B5 link down: stores are dropped, loads read all ones after the time-out, and it comes back", "[bridge]") {
    BridgeBench::Options options;
    options.root_ports.completion_timeout = kMicrosecond * 50;
    Joined bridge(small(), options);
    BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
    const std::vector<std::uint8_t> eight = bytes(8);
    const std::int64_t at = 10'000'000;
    // A load that comes before, and whose completion comes after.
    a.card.at(at - crossing(24) - 10'000, [&](Cycle now) { a.load(now, a.side.window_at(0), 8, 1); });
    // The last that comes before, and the first that comes after.
    a.card.at(at - crossing(32) - 1, [&](Cycle now) { a.store(now, 0, eight); });
    a.card.at(at - crossing(32) + 1, [&](Cycle now) { a.store(now, 8, eight); });
    a.card.at(at, [&](Cycle now) { a.load(now, a.side.window_at(0), 8); });
    a.card.at(at, [&](Cycle now) { a.write_register(now, ntb::offset::kDoorbells, std::uint32_t{1}); });
    a.card.at(at, [&](Cycle) { bridge.bench.bridge.set_link(false); });
    a.card.at(at * 2, [&](Cycle) { bridge.bench.bridge.set_link(true); });
    a.card.at(at * 2, [&](Cycle now) { a.store(now, 16, eight); });
    bridge.run();
    REQUIRE(b.writes.size() == 2);
    CHECK(b.writes[0].address == kThere);
    CHECK(b.writes[1].address == kThere + 16);
    REQUIRE(a.loads.size() == 2);
    CHECK(a.loads[0].context == 1);
    for (const PortsBench::Loaded& load : a.loads) CHECK(load.bytes == std::vector<std::uint8_t>(8, 0xFF));
    CHECK(a.loads[1].at == Time{at + 40'000} + kMicrosecond * 50 + Time{40'000});
    CHECK(a.side.crossed().dropped == 3);
    CHECK(b.side.crossed().dropped == 1);
    CHECK(a.side.crossed().lost == 1);
    for (const BridgeBench::BenchHost* host : {&a, &b}) {
        REQUIRE(host->interrupts.size() == 1);  // that it is up again merges
        CHECK(host->interrupts[0] == std::pair{Time{at}, ntb::kLinkBit});
    }
}
TEST_CASE("B5 a load that is lost reads as many ones as it has bytes, whatever its transaction has become",
          "[bridge]") {
    BridgeBench::Options options;
    options.root_ports.completion_timeout = kMicrosecond * 50;
    Joined bridge(small(), options);
    BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
    const std::vector<std::uint8_t> line = bytes(64);
    a.card.at(2'000'000, [&](Cycle) { bridge.bench.bridge.set_link(false); });
    a.card.at(3'000'000, [&](Cycle now) { a.load(now, a.side.window_at(0), 8); });
    a.card.at(5'000'000, [&](Cycle) { bridge.bench.bridge.set_link(true); });
    for (unsigned i = 0; i < 100; ++i) {  // at the time-out some are on their way
        a.card.at(6'000'000 + i * 1'000'000, [&, i](Cycle now) { a.store(now, 64 * i, line); });
        b.card.at(6'000'000 + i * 1'000'000 + 500'000, [&, i](Cycle now) { b.store(now, 64 * i, line); });
    }
    bridge.run();
    REQUIRE(a.loads.size() == 1);
    CHECK(a.loads[0].bytes == std::vector<std::uint8_t>(8, 0xFF));
}
TEST_CASE("B4 after the link has gone down scratchpads keep their values for a while", "[bridge]") {
    ntb::Config config = small();
    config.scratchpads_stuck = kMicrosecond * 100;
    Joined bridge(config);
    BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
    const std::int64_t down = 10'000'000, free = down + 100'000'000;
    const auto write = [](BridgeBench::BenchHost& of, std::int64_t at, std::uint64_t number, std::uint32_t value) {
        // A register is written when the TLP has crossed.
        of.card.at(at - crossing(28), [&of, number, value](Cycle now) {
            of.write_register(now, ntb::offset::kScratchpads + 4 * number, value);
        });
    };
    write(a, down - 1'000'000, 15, 0x11U);
    a.card.at(down, [&](Cycle) { bridge.bench.bridge.set_link(false); });
    a.card.at(down + 20'000'000, [&](Cycle) { bridge.bench.bridge.set_link(true); });
    // Other registers are not stuck.
    b.card.at(free - 50'000'000, [&](Cycle now) { b.write_register(now, ntb::offset::kXbase, std::uint64_t{0x8000}); });
    write(a, free - 1, 15, 0x22U);
    write(b, free, 14, 0x33U);  // not behind the other one
    const auto read = [](BridgeBench::BenchHost& of, std::int64_t at, std::uint64_t number) {
        of.card.at(at, [&of, number](Cycle now) {
            of.load(now, of.side.registers_at() + ntb::offset::kScratchpads + 4 * number, 4);
        });
    };
    read(a, free + 1'000'000, 15);
    read(b, free + 1'000'000, 14);
    bridge.run();
    REQUIRE(a.loads.size() == 1);
    REQUIRE(b.loads.size() == 1);
    CHECK(a.loads[0].bytes == std::vector<std::uint8_t>{0x11, 0, 0, 0});
    CHECK(b.loads[0].bytes == std::vector<std::uint8_t>{0x33, 0, 0, 0});
    CHECK(b.side.registers().windows()[0].xbase == 0x8000);
}
TEST_CASE("posted credits bound the rate: a round trip for each of them", "[bridge]") {
    for (const std::uint32_t headers : {1U, 16U, 32U, 64U}) {
        const auto took = in_child([&] {
            ntb::Config config = small();
            config.credits.headers = headers;
            Joined bridge(config);
            BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
            const std::vector<std::uint8_t> line = bytes(64);
            for (unsigned i = 0; i < 320; ++i)
                a.card.at(2'000'000 + i, [&, i](Cycle now) { a.store(now, 64 * i, line); });
            bridge.run();
            return (b.writes.at(319).at - b.writes.at(319 - headers).at).ps;
        });
        // A credit: 5.6 ns on the link, 80, 32; back as an UpdateFC of 8 bytes, 80.
        const std::int64_t link = 5'586, loop = link + 80'000 + 32'000 + 508 + 80'000;
        CAPTURE(headers, took);
        CHECK(std::abs(*took - std::max(loop, headers * link)) <= headers);
    }
}
TEST_CASE("credits of data bound it, too", "[bridge]") {
    ntb::Config config = small();
    config.credits.data = 8;  // two lines
    Joined bridge(config);
    BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
    const std::vector<std::uint8_t> line = bytes(64);
    for (unsigned i = 0; i < 10; ++i) a.card.at(2'000'000 + i, [&, i](Cycle now) { a.store(now, 64 * i, line); });
    bridge.run();
    REQUIRE(b.writes.size() == 10);
    for (unsigned i = 2; i < 10; i += 2) CHECK((b.writes[i].at - b.writes[i - 2].at).ps >= 5'586 + 192'508);
    CHECK(a.side.crossed().credit_stalls >= 4);
}
TEST_CASE("a rate of payload below the link's is kept", "[bridge]") {
    ntb::Config config = small();
    config.rate = 80'000'000'000;  // 80 Gb/s: 6.4 ns a line
    Joined bridge(config);
    BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
    const std::vector<std::uint8_t> line = bytes(64);
    for (unsigned i = 0; i < 100; ++i) a.card.at(2'000'000 + i, [&, i](Cycle now) { a.store(now, 64 * i, line); });
    bridge.run();
    REQUIRE(b.writes.size() == 100);
    CHECK(std::abs((b.writes[99].at - b.writes[0].at).ps - 99 * 6'400) <= 1);
}
TEST_CASE("a slow clock does not slow the rate of payload", "[bridge]") {
    ntb::Config config = small();
    config.rate = 80'000'000'000;
    BridgeBench::Options options;
    options.clock = Clock{Time{3'000}};
    Joined bridge(config, options);
    BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
    const std::vector<std::uint8_t> line = bytes(64);
    for (unsigned i = 0; i < 100; ++i) a.card.at(1'000'100, [&, i](Cycle now) { a.store(now, 64 * i, line); });
    bridge.run(kMillisecond * 4);
    REQUIRE(b.writes.size() == 100);
    CHECK(std::abs((b.writes[99].at - b.writes[0].at).ps - 99 * 6'400) <= 2 * 3'000);
}
TEST_CASE("hosts with clocks of their own: each acts at its edges", "[bridge]") {
    BridgeBench::Options options;
    options.clock = Clock{Time{3'000}};
    Joined bridge(small(), options);
    BridgeBench::BenchHost &a = bridge.hosts.a, &b = bridge.hosts.b;
    const std::vector<std::uint8_t> eight = bytes(8);
    a.card.at(1'000'100, [&](Cycle now) { a.store(now, 0, eight); });
    bridge.run(kMillisecond * 4);
    REQUIRE(b.writes.size() == 1);
    // Down to the port by 42 ns, on the link by 45 (44.03), 81 on it, 32 through both sides: 158; the next edge is 159.
    CHECK(b.writes[0].at == kMillisecond * 3 + Time{300'000 + 159'000});
}

}  // namespace
}  // namespace rnicsim
