// SPDX-License-Identifier: Apache-2.0
// Through the LLC or past it, and how lines leave it.
#include "testbench/tests/persistence/line_list.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

using Backs = std::vector<LineList::Back>;

PersistenceConfig cached(std::int64_t lines) {
    PersistenceConfig config = plain_config();
    config.ddio = true;
    config.llc.capacity = lines * 64;
    return config;
}

TEST_CASE("ranges of SCM may meet, lie in one another, and come twice", "[persistence]") {
    PersistencePath path(plain_config());
    for (const auto& [begin, end] : {std::pair{300, 400}, {100, 200}, {120, 130}, {120, 130}, {390, 500}, {200, 250}})
        path.add_scm(static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end - begin));
    for (std::uint64_t at = 0; at < 600; ++at) {
        INFO(at);
        CHECK(path.is_scm(at) == ((at >= 100 && at < 250) || (at >= 300 && at < 500)));
    }
}

TEST_CASE("all 16 routes", "[persistence]") {
    for (unsigned route = 0; route < 16; ++route) {
        PersistenceConfig config = plain_config();
        config.ddio = (route & 1U) != 0;
        config.no_snoop_write = (route & 2U) != 0;
        const TlpAttributes attributes{(route & 4U) != 0, false, static_cast<std::uint8_t>(route >> 3U)};
        PathBench bench(config);
        bench.write(ns(0), 0, attributes);
        INFO("route " << route);
        const bool through_llc = config.ddio && !(config.no_snoop_write && attributes.no_snoop);
        CHECK(bench.path.passes_llc(attributes) == !through_llc);
        CHECK(bench.line(1).iio == ns(40));
        CHECK(bench.line(1).llc == (through_llc ? ns(40) : kEndOfTime));
        CHECK(bench.line(1).adr == (through_llc ? kEndOfTime : ns(40)));
        CHECK(bench.path.cached_lines() == (through_llc ? 1 : 0));
        // An ordered read proves that it is where its route leads.
        CHECK(bench.path.read_may_start(ns(1), {false, false, attributes.traffic_class}) == ns(40));
        CHECK(bench.path.read_may_start(ns(1), {false, false, 7}) == ns(1));
    }
}

TEST_CASE("a processor's flush: its time, and lines in the iMC when it may go on", "[persistence]") {
    PathBench bench(cached(64));
    bench.write(ns(0), 0, {}, 2);
    CHECK(bench.path.flush(ns(1000), 0, 128) == ns(1000 + 80 + 2 * 8));
    CHECK(bench.lines.back == Backs{{1, ns(1088), ns(1128)}, {2, ns(1096), ns(1128)}});
    CHECK(bench.path.flush(ns(2000), 0, 128) == ns(2096));  // they are clean: it takes as long
    CHECK(bench.lines.back.size() == 2);
    CHECK(bench.path.flush(ns(3000), 63, 2) == ns(3096));
    CHECK(bench.path.flush(ns(3000), 1 << 16, 1) == ns(3088));
    CHECK(bench.path.cached_lines() == 2);  // CLWB keeps them
}

TEST_CASE("a flush does not reach what is still in the IIO", "[persistence]") {
    PersistenceConfig config = cached(64);
    config.flush = {ns(0), ns(0)};
    PathBench bench(config);
    bench.write(ns(0), 0);
    bench.path.write(ns(20), 0, 4, {});
    bench.path.flush(ns(39), 0, 64);
    CHECK(bench.lines.back.empty());
    bench.path.flush(ns(59), 0, 64);
    CHECK(bench.lines.back == Backs{{1, ns(59), ns(99)}});
    bench.path.flush(ns(60), 0, 64);
    CHECK(bench.lines.back.size() == 2);
    CHECK(bench.lines.back.back().number == 2);
}

TEST_CASE("a flush waits for places of the iMC", "[persistence]") {
    PersistenceConfig config = cached(64);
    config.imc.capacity = 64;
    config.scm.line = 64;  // 25 ns each
    PathBench bench(config);
    bench.write(ns(0), 0, {}, 3);
    CHECK(bench.path.flush(ns(1000), 0, 192) == ns(1088 + 40 + 40));
    CHECK(bench.lines.back == Backs{{1, ns(1088), ns(1128)}, {2, ns(1128), ns(1168)}, {3, ns(1168), ns(1208)}});
}

TEST_CASE("a full LLC: the line that was written longest ago goes first, through the iMC", "[persistence]") {
    PathBench bench(cached(2));
    bench.write(ns(0), 0);
    bench.write(ns(100), 8);
    bench.write(ns(200), 0);
    CHECK(bench.lines.back.empty());
    bench.write(ns(1000), 16);
    CHECK(bench.lines.back == Backs{{2, ns(1024), ns(1064)}});
    CHECK(bench.line(4).llc == ns(1040));
    bench.write(ns(2000), 24);
    CHECK(bench.lines.back.back() == LineList::Back{3, ns(2024), ns(2064)});
    // One that is clean makes room at no cost.
    bench.path.flush(ns(3000), 16 * 64, 64);
    const std::size_t before = bench.lines.back.size();
    bench.write(ns(4000), 32);
    CHECK(bench.lines.back.size() == before);
}

TEST_CASE("a line is not evicted before it has come", "[persistence]") {
    PathBench bench(cached(1));
    bench.write(ns(0), 0);
    CHECK(bench.write(ns(0), 8) == ns(40 + 40));
    CHECK(bench.lines.back == Backs{{1, ns(40 + 24), ns(40 + 24 + 40)}});
}

TEST_CASE("a flush of a line that is just being evicted waits until it is in the iMC", "[persistence]") {
    PersistenceConfig config = cached(1);
    config.flush = {ns(0), ns(0)};
    PathBench bench(config);
    bench.write(ns(0), 0);
    bench.write(ns(1000), 8);
    CHECK(bench.path.flush(ns(1023), 0, 64) == ns(1024));
    CHECK(bench.path.flush(ns(1024), 0, 64) == ns(1024));
    CHECK(bench.path.flush(ns(1025), 0, 64) == ns(1025));
}

TEST_CASE("a full LLC and a full iMC hold writes back in the IIO", "[persistence]") {
    PersistenceConfig config = cached(1);
    config.imc.capacity = 64;
    PathBench bench(config);
    bench.write(ns(0), 0);
    bench.write(ns(1000), 8);  // evicts 0: has the place until 1064
    CHECK(bench.write(ns(1063), 16) == ns(1064 + 40));
    CHECK(bench.lines.back.back().adr == ns(1064 + 24));
}

TEST_CASE("random eviction draws from all, with draws of its own; never: nobody leaves", "[persistence]") {
    const auto order = [](Eviction evict, std::uint64_t seed) {
        PersistenceConfig config = cached(16);
        config.llc.evict = evict;
        PersistencePath path(config, {seed, 0}, 0);
        LineList lines;
        path.add_scm(0, 1 << 20);
        path.set_observer(&lines);
        for (std::uint64_t i = 0; i < 200; ++i) path.write(ns(static_cast<std::int64_t>(1000 * i)), 64 * i, 64, {});
        std::vector<std::uint64_t> numbers;
        for (const LineList::Back& back : lines.back) numbers.push_back(back.number);
        return numbers;
    };
    CHECK(order(Eviction::random, 1) == order(Eviction::random, 1));
    CHECK(order(Eviction::random, 1) != order(Eviction::random, 2));
    CHECK(order(Eviction::random, 1) != order(Eviction::lru, 1));
    CHECK(order(Eviction::random, 1).size() == 184);
    CHECK(order(Eviction::lru, 1) == order(Eviction::lru, 2));
    CHECK(order(Eviction::never, 1).empty());
}

TEST_CASE("no snoop as a hint: the LLC's older copy is gone, what it had besides is not lost", "[persistence]") {
    PersistenceConfig config = cached(1);
    config.no_snoop_write = true;
    PathBench bench(config);
    bench.write(ns(0), 0);
    bench.write(ns(100), 0, kNoSnoop);
    CHECK(bench.line(2).adr == ns(140));
    CHECK(bench.path.cached_lines() == 0);
    bench.write(ns(1000), 8);
    CHECK(bench.lines.back.empty());
    bench.path.write(ns(2000), 8 * 64, 32, kNoSnoop);  // half of it
    CHECK(bench.lines.back == Backs{{3, ns(2040), ns(2080)}});
    CHECK(bench.line(4).adr == ns(2040));
}

TEST_CASE("no snoop taken literally: an eviction overwrites what is newer and durable", "[persistence]") {
    PersistenceConfig config = cached(1);
    config.no_snoop_write = true;
    config.no_snoop = NoSnoop::literal;
    PathBench bench(config);
    bench.write(ns(0), 0);
    bench.write(ns(100), 0, kNoSnoop);
    CHECK(bench.line(2).adr == ns(140));
    CHECK(bench.path.cached_lines() == 1);
    bench.write(ns(1000), 8);
    CHECK(bench.lines.back == Backs{{1, ns(1024), ns(1064)}});  // version 1, behind version 2
}

TEST_CASE("what a processor has stored is dirty in the LLC, and goes like what a device wrote", "[persistence]") {
    PathBench bench(cached(2));
    bench.path.store(ns(0), 0, 3 * 64);  // the third has the first one evicted
    CHECK(bench.line(1).posted == ns(0));
    CHECK(bench.line(1).llc == ns(0));
    CHECK(bench.line(1).adr == kEndOfTime);
    CHECK(bench.line(3).scm);
    CHECK(bench.path.cached_lines() == 2);
    CHECK(bench.lines.back == Backs{{1, ns(24), ns(64)}});
    CHECK(bench.path.flush(ns(1000), 64, 1) == ns(1088));
    CHECK(bench.lines.back.size() == 2);
    bench.write(ns(2000), 9);
    CHECK(bench.lines.back.size() == 2);  // line 1 is clean, and goes without a trace
    bench.write(ns(3000), 10);
    REQUIRE(bench.lines.back.size() == 3);
    CHECK(bench.lines.back[2].number == 3);
}

TEST_CASE("evictions at random cost SCM bandwidth, since neighbours do not leave together", "[persistence]") {
    const auto bandwidth = [](Eviction evict) {
        PersistenceConfig config = cached(1024);
        config.llc.evict = evict;
        PathBench bench(config);
        constexpr std::uint64_t kLines = 15'000;
        Time left;
        for (std::uint64_t i = 0; i < kLines; ++i) left = bench.write(ns(0), i);
        return 64.0 * static_cast<double>(kLines - 1024) / (static_cast<double>(left.ps) * 1e-12);
    };
    const double in_order = bandwidth(Eviction::lru), at_random = bandwidth(Eviction::random);
    CHECK(in_order > 0);
    CHECK(at_random / in_order < 0.35);
    CHECK(at_random / in_order > 0.2);
}

TEST_CASE("a line does not join a write that has not come yet", "[persistence]") {
    PersistenceConfig config = cached(64);
    config.no_snoop_write = true;
    config.flush = {ns(0), ns(0)};
    config.iio.hold = ns(1000);
    PathBench bench(config);
    bench.write(ns(0), 0);
    bench.write(ns(1000), 1, kNoSnoop);  // its neighbour, enters at 2040
    bench.path.flush(ns(1100), 0, 64);
    CHECK(bench.lines.back == Backs{{1, ns(1100), ns(1140)}});
}

TEST_CASE("versions of a line that can only leave together are one, with the bytes of all", "[persistence]") {
    LastLevelCache cache({}, {}, 0);
    for (std::uint64_t i = 0; i < 100; ++i) {
        const Time at = ns(static_cast<std::int64_t>(100 * i));
        cache.write(7, true, {i + 1, at + ns(40), std::uint64_t{1} << (i % 64)}, at);
        CHECK(cache.find(7)->versions.size() <= 2);
    }
    const auto dirty = cache.clean(7, ns(1'000'000));
    REQUIRE(dirty);
    CHECK(dirty->number == 100);
    CHECK(dirty->mask == ~std::uint64_t{0});
}

TEST_CASE("lines of DRAM that are written over and over do not pile up", "[persistence]") {
    PathBench bench(cached(4));
    for (std::int64_t i = 0; i < 1000; ++i) {
        bench.path.pass(ns(100 * i));
        bench.write(ns(100 * i), PathBench::kDram / 64);
    }
    bench.path.flush(ns(1'000'000), PathBench::kDram, 64);
    CHECK(bench.lines.back == Backs{{1000, ns(1'000'088), kEndOfTime}});
}

}  // namespace
}  // namespace rnicsim
