// SPDX-License-Identifier: Apache-2.0
// A core's times beside the edges of its host's clock; and what waits behind a hole.
#include "testbench/tests/support/store_bench.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <vector>

using namespace rnicsim;

namespace {

constexpr std::int64_t kFirstCycle = 1000;
constexpr Time kFirst = kGmiiClock.time(Cycle{kFirstCycle});

StoreBench::Options slow(const StoreConfig& store = {}) {
    return {.store = store, .clock = kGmiiClock, .link = {3, 16, 256, 512, 64, 32, Cycle{10}, Cycle{10}}};
}
/// When a TLP is at the device that is given to the port at an edge, and has the link for itself.
Time at_device(Time edge, Time on_link) {
    return kGmiiClock.time(kGmiiClock.edge(edge + Time{40'000} + on_link) + Cycle{10});
}

}  // namespace

TEST_CASE("W5 a buffer is held for so long, not until an edge", "[bridge]") {
    StoreBench bench(slow({.evict = Time{19'000}, .hold = Time{300'000}}));
    bench.core().list = {[&](StorePath& path, Time from) { path.store(from, bench.bar, counted(8)); }};
    bench.begin(kFirstCycle);
    StoreBench::simulate();
    // 1 + 300 + 19 ns: an edge. From the edge behind the end of `hold` it would be the next one.
    CHECK(bench.device.stores ==
          std::vector<RecordingDevice::Came>{{at_device(kFirst + Time{320'000}, Time{2'032}), 0, 8}});
}

TEST_CASE("W6 the port takes what is uncached at an edge: a fence counts from there", "[bridge]") {
    StoreBench bench(slow());
    bench.core().list = {
        [&](StorePath& path, Time from) { path.store(from, bench.bar, counted(8), Mapping::uncached); },
        [](StorePath& path, Time from) { path.fence(from); }};
    bench.begin(kFirstCycle);
    StoreBench::simulate();
    CHECK(bench.core().ends == std::vector<Time>{kFirst + Time{1'000}, kFirst + Time{8'000 + 58'000}});
}

TEST_CASE("W7 a load waits for what is behind a hole of its line", "[bridge]") {
    StoreBench bench({.ports = {.posted = 1}});
    std::vector<std::uint8_t> into(4);
    bench.core().list = {[&](StorePath& path, Time from) { path.store(from, bench.bar, counted(1)); },
                         [&](StorePath& path, Time from) { path.store(from, bench.bar + 2, counted(2)); },
                         [&](StorePath& path, Time from) { path.load(from, bench.bar, into); }};
    bench.begin(1'000'000);
    StoreBench::simulate();
    CHECK(bench.device.stores.size() == 2);
    CHECK(into == std::vector<std::uint8_t>{1, 0, 1, 2});
}
