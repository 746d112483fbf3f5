// SPDX-License-Identifier: Apache-2.0
// Devices at several root ports: their writes come into the IIOs and what is behind in the order of arrival.
#include "testbench/tests/persistence/line_list.h"
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/ports_bench.h"
#include "tlm/pcie/pcie_direction.h"
#include "tlm/pcie/tlp_count.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

namespace rnicsim {
namespace {

constexpr Clock kPicoseconds{kPicosecond};
constexpr std::uint64_t kDram = 1 << 20;
// Gen3 x16; 20 ns one way.
constexpr PcieConfig kFast{3, 16, 256, 512, 64, 32, Cycle{20'000}, Cycle{10}};

/// All of the first MiB is SCM; 40 ns through an IIO, 4 ns a line; no LLC.
struct TwoPorts {
    TwoPorts(const PersistenceConfig& config, IioSharing sharing) : path(config, {}, 0, links, sharing) {
        path.add_scm(0, kDram);
        path.set_observer(&lines);
    }
    void write(std::size_t port, Time arrives, std::uint64_t line, std::uint32_t count = 1,
               TlpAttributes attributes = {}) {
        path.port(port).write(arrives, line * 64, count * 64, attributes);
    }
    [[nodiscard]] const LineWrite& line(std::size_t number) const { return lines.writes.at(number); }

    std::array<IioLink, 2> links{{{kFast, kPicoseconds}, {kFast, kPicoseconds}}};
    PersistencePath path;
    LineList lines;
};

PersistenceConfig of_lines(std::int64_t lines_of_iio, Time hold = {}) {
    PersistenceConfig config = plain_config();
    config.iio.capacity = 64 * lines_of_iio;
    config.iio.hold = hold;
    return config;
}

TEST_CASE("two ports: what arrives first is first, whoever was put on a link first", "[persistence]") {
    for (const IioSharing sharing : {IioSharing::by_port, IioSharing::shared}) {
        TwoPorts bench(of_lines(8), sharing);
        bench.write(0, ns(1000), 100);
        bench.write(1, ns(500), 200);
        bench.write(1, ns(998), 300);
        CHECK(bench.path.oldest_untold() == ns(500));
        CHECK(bench.path.port(1).arrived(ns(500), 1).left == ns(540));
        CHECK(bench.lines.told == std::vector<std::uint64_t>{1});
        CHECK(bench.path.oldest_untold() == ns(998));
        bench.path.pass(ns(999));
        CHECK(bench.lines.told == std::vector<std::uint64_t>{1, 2});
        bench.path.pass(ns(1000));
        REQUIRE(bench.lines.told.size() == 3);
        CHECK(bench.line(1).line == 200);
        CHECK(bench.line(2).line == 300);
        CHECK(bench.line(3).line == 100);
        // One IIO has one way out, 4 ns a line.
        CHECK(bench.line(2).iio == ns(1038));
        CHECK(bench.line(3).iio == ns(sharing == IioSharing::shared ? 1042 : 1040));
        // The iMC is of all: neighbours in its queue.
        CHECK(bench.path.port(0).arrived(ns(1000), 1).left == bench.line(3).iio);
        CHECK(bench.path.port(1).arrived(ns(1000), 1).left == bench.line(2).iio);
        CHECK(bench.path.oldest_untold() == kEndOfTime);
    }
}

TEST_CASE("two ports: at the same time the first port's is first", "[persistence]") {
    TwoPorts bench(of_lines(8), IioSharing::shared);
    bench.write(1, ns(500), 200);
    bench.write(0, ns(500), 100);
    bench.path.pass(ns(500));
    REQUIRE(bench.lines.told.size() == 2);
    CHECK(bench.line(1).line == 100);
    CHECK(bench.line(1).iio == ns(540));
    CHECK(bench.line(2).iio == ns(544));
}

TEST_CASE("two ports: a flush comes behind what has arrived by then", "[persistence]") {
    PersistenceConfig config = of_lines(8);
    config.ddio = true;
    TwoPorts bench(config, IioSharing::by_port);
    bench.write(0, ns(100), 1);
    bench.write(1, ns(900), 2);
    const Time done = bench.path.flush(ns(500), 0, 192);
    CHECK(bench.lines.told == std::vector<std::uint64_t>{1});
    REQUIRE(bench.lines.back.size() == 1);
    CHECK(bench.lines.back[0].number == 1);
    CHECK(done == ns(500) + config.flush.base + config.flush.line * 3);
}

TEST_CASE("two ports: an IIO of two lines is full for both ports, or for one", "[persistence]") {
    for (const IioSharing sharing : {IioSharing::by_port, IioSharing::shared}) {
        TwoPorts bench(of_lines(2, ns(1000)), sharing);
        bench.write(0, ns(100), 100, 2);
        bench.write(1, ns(200), 200);
        const PostedBuffer::Arrived other = bench.path.port(1).arrived(ns(200), 1);
        // The first line is out at 1140; it was to leave 1000 ns after it came.
        CHECK(other.at == ns(sharing == IioSharing::shared ? 1140 : 200));
        bench.path.pass(ns(1140));
        CHECK(bench.line(3).posted == other.at);
        CHECK(bench.line(3).iio == other.at + ns(1040));
        CHECK(bench.path.port(0).arrived(ns(1140), 1).at == ns(100));
    }
}

TEST_CASE("two ports: a device hears with its next TLP that its link stands still", "[persistence]") {
    for (const IioSharing sharing : {IioSharing::by_port, IioSharing::shared}) {
        TwoPorts bench(of_lines(2, ns(1000)), sharing);
        const auto put = [&](Time arrives) { return bench.path.port(1).write(arrives, 0, 64, {}).accepted; };
        bench.write(0, ns(100), 100, 2);
        CHECK(put(ns(200)) == ns(200));  // nobody knows
        bench.path.pass(ns(210));
        // Behind the one that has waited until 1140; the next one behind both.
        const Time length = PcieDirection(3, 16).length(memory_write_link_bytes(0, 64));
        const Time stopped = sharing == IioSharing::shared ? ns(1140) : ns(220);
        CHECK(put(ns(220)) == (sharing == IioSharing::shared ? stopped + length : ns(220)));
        CHECK(put(ns(230)) == (sharing == IioSharing::shared ? stopped + length * 2 : ns(230)));
        CHECK(put(ns(5000)) == ns(5000));
    }
}

TEST_CASE("two ports: reads and writes keep the order of their own port only", "[persistence]") {
    for (const IioSharing sharing : {IioSharing::by_port, IioSharing::shared}) {
        TwoPorts bench(of_lines(8, ns(1000)), sharing);
        bench.write(0, ns(100), 100);
        bench.path.port(0).read_may_start(ns(200), {}, 24);
        bench.path.port(1).read_may_start(ns(200), {}, 24);
        CHECK(bench.path.port(0).arrived(ns(200), 1).left == ns(1140));  // of the write
        CHECK(bench.path.port(0).arrived(ns(200), 1).left == ns(1140));
        CHECK(bench.path.port(1).arrived(ns(200), 1).left == ns(200));
    }
}

TEST_CASE("two ports: a read pushes what its own port has written; a full IIO all", "[persistence]") {
    for (const IioSharing sharing : {IioSharing::by_port, IioSharing::shared}) {
        PersistenceConfig config = of_lines(3);
        config.iio.until_pushed = true;
        TwoPorts bench(config, sharing);
        bench.write(0, ns(100), 100);
        bench.write(1, ns(110), 200);
        bench.path.port(1).read_may_start(ns(200), {}, 24);
        bench.path.pass(ns(200));
        CHECK(bench.lines.told == std::vector<std::uint64_t>{2});
        CHECK(bench.line(2).iio == ns(240));
        CHECK(bench.path.holds(1));
        CHECK(bench.path.oldest_untold() == ns(100));
        // Asked in another order than written.
        CHECK(bench.path.port(1).arrived(ns(200), 1).number == 2);
        CHECK(bench.path.left(2, 200 * 64, 64) == ns(240));
        CHECK(bench.path.port(0).arrived(ns(200), 1).number == 1);
        bench.write(0, ns(300), 300, 2);
        bench.write(1, ns(310), 400);
        bench.path.pass(ns(310));
        // Shared, the fourth line finds three in it.
        CHECK(bench.path.holds(1) == (sharing == IioSharing::by_port));
        if (sharing == IioSharing::shared) CHECK(bench.path.left(1, 100 * 64, 64) == ns(350));
        bench.path.end();
        CHECK(bench.lines.told.size() == 5);
        CHECK_FALSE(bench.path.holds(5));
    }
}

TEST_CASE("two ports: a stopped link goes on TLP by TLP", "[persistence]") {
    TwoPorts bench(of_lines(1, ns(1000)), IioSharing::by_port);
    bench.write(0, ns(100), 100);
    bench.write(0, ns(110), 200);
    bench.path.port(0).interrupt(ns(120), {});
    CHECK(bench.path.port(0).arrived(ns(100), 1).at == ns(100));
    CHECK(bench.path.port(0).arrived(ns(110), 1).at == ns(1140));
    CHECK(bench.path.port(0).arrived(ns(1140), 1).left == ns(1140 + 1040));
    // The MSI's 24 bytes follow: 1523.4 ps; it finds a place when the line before it is out.
    const PostedBuffer::Arrived waits = bench.path.port(0).arrived(ns(1140), 1);
    CHECK(waits.at == ns(1140) + Time{1'524});
    CHECK(bench.path.port(0).arrived(waits.at, 1).at == ns(1140 + 1040));
}

// Gen1 x1: half a cycle a byte. MPS 128, MRRS 512, RCB 64.
constexpr PcieConfig kSlow{1, 1, 128, 512, 64, 32, Cycle{19}, Cycle{10}};

void simulate_all(const PortsBench& /*bench*/) { sc_core::sc_start(to_sc_time(cycles(100'000))); }

/// Writes that fill an IIO of two lines again and again, MSIs, and reads when that is over: of the card.
void many_requests(PortsBench& bench) {
    for (std::int64_t i = 0; i < 40; ++i) {
        bench.card().at(100 + 3 * i, [&bench, i](Cycle now) {
            const auto line = static_cast<std::uint64_t>(i);
            bench.card().write(now, i % 3 == 0 ? 0x1000 : PortsBench::kScm + 64 * line, 100, {false, i % 5 == 0, 0});
            if (i % 7 == 0) bench.card().pcie.interrupt(now);
        });
    }
    for (std::int64_t i = 0; i < 10; ++i) {
        bench.card().at(80'000 + 30 * i, [&bench](Cycle now) {
            bench.card().write(now, PortsBench::kScm, 64);
            bench.card().read(now, PortsBench::kScm, 4);
        });
    }
}

void check_equal(const PortsBench& one, const PortsBench& two) {
    REQUIRE(one.lines.size() == two.lines.size());
    for (std::size_t i = 0; i < one.lines.size(); ++i) {
        CHECK(one.lines[i].number == two.lines[i].number);
        CHECK(one.lines[i].posted == two.lines[i].posted);
        CHECK(one.lines[i].iio == two.lines[i].iio);
        CHECK(one.lines[i].scm_done == two.lines[i].scm_done);
    }
    CHECK(one.visible == two.visible);
    CHECK(one.interrupts == two.interrupts);
    CHECK(one.devices[0]->reads_done.size() == 10);
    CHECK(one.devices[0]->reads_done == two.devices[0]->reads_done);
    CHECK(two.pool.in_use() == 0);
}

/// Its device writes a line of SCM, which arrives at 171 and stays in the IIO; a core's load is answered at 215.
void load_behind_write(PortsBench& bench, TlpAttributes attributes) {
    bench.card().at(100, [&bench](Cycle now) { bench.card().write(now, PortsBench::kScm, 64); });
    bench.card().at(150, [&bench, attributes](Cycle now) { bench.load(now, kBar0, 4, 0, attributes); });
}

TEST_CASE("two ports: a completion waits for the writes of its device, as a read does", "[persistence]") {
    const Clock& clock = kGmiiClock;
    const PersistenceConfig held = of_lines(8, clock.time(Cycle{1000}));
    PersistenceConfig pushed = of_lines(8);
    pushed.iio.until_pushed = true;
    PortsBench alone("alone", kSlow, 1, {clock, false, false, {}, &held});
    PortsBench bench("bench", kSlow, 2, {clock, false, false, {}, &held});
    PortsBench relaxed("relaxed", kSlow, 2, {clock, false, false, {}, &held});
    PortsBench other("other", kSlow, 2, {clock, false, false, {}, &held});
    PortsBench pushes("pushes", kSlow, 2, {clock, false, false, {}, &pushed});
    load_behind_write(alone, {});
    load_behind_write(bench, {});
    load_behind_write(relaxed, {false, true, 0});
    load_behind_write(other, {false, false, 1});
    load_behind_write(pushes, {});
    simulate_all(bench);
    // 5 cycles to the port; MRd of 20 bytes, 19; CplD of 24 bytes, 19; 5. The line leaves the IIO at 1176.
    const Time unhindered = clock.time(Cycle{150 + 5 + 10 + 19 + 12 + 19 + 5});
    for (const PortsBench* const waits : {&alone, &bench}) {
        REQUIRE(waits->loads.size() == 1);
        CHECK(waits->loads[0].at == clock.time(Cycle{1176 + 5}));
    }
    REQUIRE(relaxed.loads.size() == 1);
    CHECK(relaxed.loads[0].at == unhindered);
    REQUIRE(other.loads.size() == 1);
    CHECK(other.loads[0].at == unhindered);
    // It pushes the line, and waits for it.
    REQUIRE(pushes.loads.size() == 1);
    CHECK(pushes.visible == std::vector{clock.time(Cycle{215 + 5})});
    CHECK(pushes.loads[0].at == unhindered + clock.time(Cycle{5}));
}

TEST_CASE("two ports: beside one that keeps still all is as with one port", "[persistence]") {
    PersistenceConfig config = of_lines(2, kGmiiClock.time(Cycle{1000}));
    PortsBench one("one", kSlow, 1, {kGmiiClock, false, false, {}, &config});
    PortsBench two("two", kSlow, 2, {kGmiiClock, false, false, {}, &config});
    PortsBench shared("shared", kSlow, 2, {kGmiiClock, true, false, {}, &config, IioSharing::shared});
    many_requests(one);
    many_requests(two);
    many_requests(shared);
    simulate_all(one);
    check_equal(one, two);
    check_equal(one, shared);
}

TEST_CASE("two ports: in whatever order the parts are built, both devices' times are the same", "[persistence]") {
    PersistenceConfig config = of_lines(2, kGmiiClock.time(Cycle{300}));
    const auto options = [&config](bool devices_first, IioSharing sharing) {
        return PortsBench::Options{kGmiiClock, devices_first, false, {}, &config, sharing};
    };
    PortsBench apart("apart", kSlow, 2, options(false, IioSharing::by_port));
    PortsBench apart_too("apart_too", kSlow, 2, options(true, IioSharing::by_port));
    PortsBench shared("shared", kSlow, 2, options(false, IioSharing::shared));
    PortsBench shared_too("shared_too", kSlow, 2, options(true, IioSharing::shared));
    for (PortsBench* const bench : {&apart, &apart_too, &shared, &shared_too}) {
        many_requests(*bench);
        for (std::int64_t i = 0; i < 60; ++i) {
            bench->other().at(90 + 7 * i, [bench, i](Cycle now) {
                bench->other().write(now, PortsBench::kScm + 0x4000 + 64 * static_cast<std::uint64_t>(i), 64);
            });
        }
    }
    simulate_all(apart);
    check_equal(apart, apart_too);
    check_equal(shared, shared_too);
    CHECK(apart.lines.size() > 60 + 40 + 10);
    CHECK(shared.lines.size() == apart.lines.size());
    // The one IIO is a queue: who comes later has its place later, if it has to wait for the same time.
    for (std::size_t i = 1; i < shared.lines.size(); ++i) CHECK(shared.lines[i - 1].posted <= shared.lines[i].posted);
    CHECK(shared.visible != apart.visible);
}

}  // namespace
}  // namespace rnicsim
