// SPDX-License-Identifier: Apache-2.0
// Each stage of the persistence path: nothing before its time, everything at it.
#include "testbench/tests/persistence/line_list.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

namespace rnicsim {
namespace {

TEST_CASE("what survives where", "[persistence]") {
    using Row = std::vector<bool>;
    const auto row = [](Domain domain) {
        Row all;
        for (const Stage stage : {Stage::iio, Stage::llc, Stage::imc, Stage::scm})
            all.push_back(survives(stage, domain));
        return all;
    };
    CHECK(row(Domain::none) == Row{false, false, false, true});
    CHECK(row(Domain::adr) == Row{false, false, true, true});
    CHECK(row(Domain::eadr) == Row{false, true, true, true});
    CHECK(row(Domain::wsp) == Row{true, true, true, true});
}

TEST_CASE("a line alone takes each stage's latency", "[persistence]") {
    PathBench bench(plain_config());
    CHECK(bench.write(ns(1000), 5) == ns(1040));
    const LineWrite& line = bench.line(1);
    CHECK(line.number == 1);
    CHECK(line.line == 5);
    CHECK(line.mask == ~std::uint64_t{0});
    CHECK(line.scm);
    CHECK(line.posted == ns(1000));
    CHECK(line.iio == ns(1040));
    CHECK(line.llc == kEndOfTime);
    CHECK(line.adr == ns(1040));
    CHECK(line.scm_done == ns(1080));
}

TEST_CASE("a write is cut into lines, each with the bytes it has of them", "[persistence]") {
    PathBench bench(plain_config());
    const auto taken = bench.path.write(ns(0), 60, 72, {});
    CHECK(taken.number == 3);
    CHECK(bench.line(1).line == 0);
    CHECK(bench.line(1).mask == 0xF000'0000'0000'0000);
    CHECK(bench.line(2).mask == ~std::uint64_t{0});
    CHECK(bench.line(3).line == 2);
    CHECK(bench.line(3).mask == 0xF);
}

TEST_CASE("SCM or DRAM is by the line, whatever the write began in", "[persistence]") {
    PathBench bench(plain_config());
    bench.path.write(ns(0), PathBench::kDram - 64, 128, {});
    CHECK(bench.line(1).scm);
    CHECK_FALSE(bench.line(2).scm);
    CHECK(bench.line(2).scm_done == kEndOfTime);
    CHECK(bench.path.is_scm(0));
    CHECK(bench.path.is_scm(PathBench::kDram - 1));
    CHECK_FALSE(bench.path.is_scm(PathBench::kDram));
}

TEST_CASE("lines leave the IIO one after another at its bandwidth", "[persistence]") {
    PathBench bench(plain_config());
    CHECK(bench.write(ns(100), 0, {}, 3) == ns(148));
    CHECK(bench.line(1).iio == ns(140));
    CHECK(bench.line(2).iio == ns(144));
    CHECK(bench.line(3).posted == ns(100));  // they have come with one TLP
    CHECK(bench.write(ns(112), 3) == ns(152));
    CHECK(bench.write(ns(115), 4) == ns(156));  // not at 155
}

TEST_CASE("a full IIO takes a line when one has left it", "[persistence]") {
    PersistenceConfig config = plain_config();
    config.iio.capacity = 128;
    PathBench bench(config);
    const auto two = bench.path.write(ns(100), 0, 128, {});
    CHECK(two.accepted == ns(100));
    const auto early = bench.path.write(ns(139), 128, 64, {});
    CHECK(early.accepted == ns(140));
    CHECK(early.left == ns(180));
    const auto next = bench.path.write(ns(144), 192, 64, {});
    CHECK(next.accepted == ns(144));  // the second one has left at that
}

TEST_CASE("neighbours join one write of an SCM line, a line alone costs a whole one", "[persistence]") {
    PathBench bench(plain_config());
    bench.write(ns(0), 0, {}, 6);
    for (std::size_t i = 1; i <= 4; ++i) CHECK(bench.line(i).scm_done == ns(80));
    CHECK(bench.line(5).scm_done == ns(180));  // it begins 100 ns behind the first write
    CHECK(bench.line(6).scm_done == ns(180));
    bench.write(ns(1000), 0);
    bench.write(ns(1010), 8);
    bench.write(ns(1020), 16);
    CHECK(bench.line(7).scm_done == ns(1080));
    CHECK(bench.line(8).scm_done == ns(1180));
    CHECK(bench.line(9).scm_done == ns(1280));
}

TEST_CASE("a line joins its neighbour's write as long as that is in the queue", "[persistence]") {
    PathBench bench(plain_config());
    bench.write(ns(0), 0);   // leaves at 80
    bench.write(ns(40), 1);  // enters at 80
    CHECK(bench.line(2).scm_done == ns(80));
    PathBench late(plain_config());
    late.write(ns(0), 0);
    late.path.write(Time{40'001}, 64, 64, {});
    CHECK(late.line(2).adr == Time{80'001});
    CHECK(late.line(2).scm_done == ns(180));
}

TEST_CASE("a full iMC holds lines back in the IIO until it has a place", "[persistence]") {
    PathBench bench(plain_config());  // 8 places
    // Lines far apart: the first leaves at 80, the second at 180, ...
    for (std::uint64_t i = 0; i < 9; ++i) bench.write(ns(0), 4 * i);
    CHECK(bench.line(8).adr == ns(68));
    CHECK(bench.line(9).adr == ns(80 + 40));  // its place is free at 80
    CHECK(bench.line(9).scm_done == ns(80 + 8 * 100));
    PersistenceConfig config = plain_config();
    config.imc.capacity = 64;
    PathBench one(config);
    one.write(ns(0), 0);
    CHECK(one.write(ns(79), 8) == ns(120));
    CHECK(one.write(ns(300), 16) == ns(340));  // it left at 220
}

TEST_CASE("modules add up: places and bandwidth", "[persistence]") {
    PersistenceConfig config = plain_config();
    config.scm.modules = 2;
    PathBench bench(config);
    for (std::uint64_t i = 0; i < 17; ++i) bench.write(ns(0), 4 * i);
    CHECK(bench.line(2).scm_done == ns(80 + 50));
    CHECK(bench.line(16).adr == ns(100));
    CHECK(bench.line(17).adr == ns(80 + 40));
    CHECK(bench.path.read_scm(ns(1000), 0, 256) == ns(1000) + ns(20) + ns(305));
}

TEST_CASE("reads of SCM: latency, bandwidth, whole lines", "[persistence]") {
    PathBench bench(plain_config());
    CHECK(bench.path.read_scm(ns(1000), 0, 4) == ns(1305) + Time{625});
    CHECK(bench.path.read_scm(ns(1000), 512, 256) == ns(1040 + 40 + 305));        // the first one costs a line: 40 ns
    CHECK(bench.path.read_scm(ns(1000), 1024 - 64, 128) == ns(1080 + 20 + 305));  // of two lines
    CHECK(bench.path.read_scm(ns(1159), 0, 256) == ns(1160 + 40 + 305));
    CHECK(bench.path.read_scm(ns(1200), 0, 256) == ns(1200 + 40 + 305));
}

TEST_CASE("what is over may be forgotten", "[persistence]") {
    BusyTimes busy;
    busy.book(ns(0), ns(100));
    busy.forget(ns(99));
    CHECK(busy.free(ns(99), ns(1)) == ns(100));
    busy.forget(ns(100));
    CHECK(busy.free(ns(50), ns(1)) == ns(50));
    PathBench bench(plain_config()), forgets(plain_config());
    for (std::uint64_t i = 0; i < 3000; ++i) {
        const Time at = ns(static_cast<std::int64_t>(30 * i));
        forgets.path.pass(at);
        REQUIRE(bench.write(at, 7 * i % 4000) == forgets.write(at, 7 * i % 4000));
        REQUIRE(bench.line(i + 1).scm_done == forgets.line(i + 1).scm_done);
    }
}

}  // namespace
}  // namespace rnicsim
