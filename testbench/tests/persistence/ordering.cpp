// SPDX-License-Identifier: Apache-2.0
// What may pass what on its way through the IIO (PCI Express Base Specification 2.4.1), and what holds writes there.
#include "testbench/tests/persistence/line_list.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>

namespace rnicsim {
namespace {

constexpr TlpAttributes kOther{false, false, 1};
constexpr std::uint64_t kDramLine = PathBench::kDram / 64;

/// Its first line is held until 1040 ns; lines of DRAM are never held.
PersistenceConfig holding() {
    PersistenceConfig config = plain_config();
    config.iio.hold = ns(1000);
    return config;
}

TEST_CASE("a write of SCM is held, one of DRAM waits for it", "[persistence]") {
    PathBench bench(holding());
    CHECK(bench.write(ns(0), 0) == ns(1040));
    CHECK(bench.write(ns(10), kDramLine) == ns(1044));
    CHECK(bench.write(ns(2000), kDramLine) == ns(2040));
}

TEST_CASE("MWr behind MWr: no; with relaxed ordering, or in another class: yes", "[persistence]") {
    for (const bool relaxed : {false, true}) {
        for (const std::uint8_t traffic_class : {0, 1}) {
            PathBench bench(holding());
            bench.write(ns(0), 0);
            const Time left = bench.write(ns(10), kDramLine, {false, relaxed, traffic_class});
            CHECK(left == (relaxed || traffic_class == 1 ? ns(50) : ns(1044)));
        }
    }
}

TEST_CASE("the relaxed ordering of the earlier write changes nothing for the later one", "[persistence]") {
    PathBench bench(holding());
    bench.write(ns(0), 0, kRelaxed);
    CHECK(bench.write(ns(10), kDramLine) == ns(1044));
}

TEST_CASE("MRd behind MWr: no, whatever its relaxed ordering; in another class: yes", "[persistence]") {
    for (const bool relaxed : {false, true}) {
        PathBench bench(holding());
        bench.write(ns(0), 0);
        CHECK(bench.path.read_may_start(ns(10), {false, relaxed, 0}) == ns(1040));
        CHECK(bench.path.read_may_start(ns(10), {false, relaxed, 1}) == ns(10));
        CHECK(bench.path.read_may_start(ns(1040), {false, relaxed, 0}) == ns(1040));
        CHECK(bench.path.read_may_start(Time{1'040'001}, {false, relaxed, 0}) == Time{1'040'001});
    }
}

TEST_CASE("MRd waits for writes with relaxed ordering, too, and not for later ones", "[persistence]") {
    PathBench bench(holding());
    bench.write(ns(0), 0, kRelaxed);
    const Time may_start = bench.path.read_may_start(ns(10), {});
    bench.write(ns(20), 8);
    CHECK(may_start == ns(1040));
    CHECK(bench.path.read_may_start(ns(30), {}) == ns(1060));
}

TEST_CASE("an MSI is a write of its class", "[persistence]") {
    PathBench bench(holding());
    bench.write(ns(0), 0);
    CHECK(bench.path.interrupt(ns(10), {}).left == ns(1044));
    CHECK(bench.path.interrupt(ns(10), kOther).left == ns(50));
    CHECK(bench.lines.writes.size() == 2);  // it is no line
}

TEST_CASE("what passes takes the IIO's free slots, those that are booked stay as they are", "[persistence]") {
    PathBench bench(holding()), late(holding());
    for (PathBench* const b : {&bench, &late}) b->write(ns(0), 0);  // goes at 1000
    CHECK(bench.write(ns(992), kDramLine, kRelaxed) == ns(1032));
    CHECK(bench.write(ns(992), kDramLine, kRelaxed) == ns(1036));
    CHECK(bench.write(ns(992), kDramLine, kRelaxed) == ns(1044));
    CHECK(late.write(ns(998), kDramLine, kRelaxed) == ns(1044));  // its 4 ns do not fit in front of it
}

TEST_CASE("a flush takes a free place of the iMC, or waits for one that is not promised", "[persistence]") {
    PersistenceConfig config = holding();
    config.ddio = config.no_snoop_write = true;
    config.flush = {ns(0), ns(0)};
    config.imc.capacity = 64;
    config.scm.line = 64;  // 25 ns
    PathBench bench(config), late(config);
    for (PathBench* const b : {&bench, &late}) {
        b->write(ns(0), 0);
        b->write(ns(1000), 8, kNoSnoop);  // has the only place from 2000 to 2080
        CHECK(b->line(2).scm_done == ns(2080));
    }
    CHECK(bench.path.flush(ns(1960), 0, 64) == ns(1960));
    CHECK(late.path.flush(Time{1'960'001}, 0, 64) == ns(2080));
}

TEST_CASE("the IIO holds lines of SCM until something comes that must not pass them", "[persistence]") {
    PersistenceConfig config = plain_config();
    config.iio.until_pushed = true;
    SECTION("an ordered read") {
        PathBench bench(config);
        CHECK(bench.write(ns(0), 0, {}, 2) == kEndOfTime);
        CHECK(bench.lines.told.empty());
        CHECK(bench.path.oldest_untold() == ns(0));
        CHECK(bench.path.read_may_start(ns(500), kOther) == ns(500));
        CHECK(bench.lines.told.empty());
        CHECK(bench.path.read_may_start(ns(600), kRelaxed) == ns(644));
        CHECK(bench.line(1).iio == ns(640));
        CHECK(bench.line(2).iio == ns(644));
        CHECK(bench.line(2).posted == ns(0));
        CHECK(bench.path.oldest_untold() == kEndOfTime);
    }
    SECTION("a CQE") {
        PathBench bench(config);
        bench.write(ns(0), 0);
        CHECK(bench.write(ns(300), kDramLine, kRelaxed) == ns(340));
        CHECK(bench.write(ns(300), kDramLine, kOther) == ns(344));
        CHECK(bench.lines.told.size() == 2);
        CHECK(bench.write(ns(400), kDramLine) == ns(444));
        CHECK(bench.line(1).iio == ns(440));
    }
    SECTION("an MSI") {
        PathBench bench(config);
        bench.write(ns(0), 0);
        CHECK(bench.path.interrupt(ns(400), {}).left == ns(444));
        CHECK(bench.line(1).iio == ns(440));
    }
    SECTION("when it is full") {
        config.iio.capacity = 256;
        PathBench bench(config);
        bench.write(ns(0), 0, {}, 4);
        CHECK(bench.lines.told.empty());
        const auto fifth = bench.path.write(ns(100), 256, 64, {});
        CHECK(fifth.accepted == ns(140));
        CHECK(fifth.left == kEndOfTime);
        CHECK(bench.lines.told.size() == 4);
        CHECK(bench.line(4).iio == ns(152));
    }
    SECTION("never") {
        PathBench bench(config);
        bench.write(ns(7), 0);
        bench.path.end();
        REQUIRE(bench.lines.told.size() == 1);
        CHECK(bench.line(1).posted == ns(7));
        CHECK(bench.line(1).iio == kEndOfTime);
    }
}

class Seen final : public HeldBytesTarget {
  public:
    void seen(std::uint64_t address, std::uint64_t bytes, Time at) override {
        where = address;
        how_many = bytes;
        when = at;
    }
    std::uint64_t where = 0, how_many = 0;
    Time when;
};

TEST_CASE("who asks when held bytes have left is told, at once or when they are pushed", "[persistence]") {
    PersistenceConfig config = plain_config();
    config.iio.until_pushed = true;
    PathBench bench(config);
    Seen seen;
    bench.path.set_held_bytes_target(&seen);
    const auto first = bench.path.write(ns(0), 0, 128, {});
    const auto second = bench.path.write(ns(10), 128, 64, {});
    CHECK(bench.path.left(first.number, 0, 128) == kEndOfTime);
    bench.path.read_may_start(ns(100), {});
    CHECK(seen.where == 0);
    CHECK(seen.how_many == 128);
    CHECK(seen.when == ns(144));
    CHECK(bench.path.left(second.number, 128, 64) == ns(148));
    // One TLP across the border: its line of DRAM pushes its line of SCM.
    CHECK(bench.path.write(ns(1000), PathBench::kDram - 64, 128, {}).left == ns(1044));
}

}  // namespace
}  // namespace rnicsim
