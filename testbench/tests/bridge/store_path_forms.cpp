// SPDX-License-Identifier: Apache-2.0
// Closed forms of copies to a device: when the last byte is there, and how long the core needs; against SISCI's times.
#include "testbench/tests/support/store_bench.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

using namespace rnicsim;
using Catch::Matchers::WithinRel;

namespace {

/// What a copy of full lines, and the fence behind it, come to, by the rules alone.
struct Form {
    StoreBench::Options options;
    std::size_t lines = 0;
    Time begin;

    std::vector<Time> arrivals;  ///< of each line at the device
    Time copied, fenced;

    void evaluate() {
        const StoreConfig& core = options.store;
        const Clock& clock = options.clock;
        const auto edge = [&clock](Time at) { return clock.time(clock.edge(at)); };
        const Time on_link = PcieDirection(options.link.generation, options.link.lanes).length(24 + 64);
        std::vector<Time> taken, begins;
        Time link;
        copied = begin;
        for (std::size_t i = 0; i < lines; ++i) {
            copied += core.line;
            if (i >= core.wc.buffers) copied = std::max(copied, taken[i - core.wc.buffers]);
            taken.push_back(edge(copied + core.evict));
            if (i >= options.ports.posted) taken[i] = std::max(taken[i], edge(begins[i - options.ports.posted]));
            begins.push_back(std::max(edge(taken[i] + options.ports.down), link));
            link = begins[i] + on_link;
            arrivals.push_back(edge(link) + clock.time(options.link.latency));
        }
        fenced = taken.back() + core.fence;
    }
};

void check_copy(const StoreBench::Options& options, std::size_t bytes) {
    StoreBench bench(options);
    const std::vector<std::uint8_t> data = counted(bytes);
    bench.core().list = {[&](StorePath& path, Time from) { path.copy(from, bench.bar, data); },
                         [](StorePath& path, Time from) { path.fence(from); }};
    const std::int64_t start = 1000;
    bench.begin(start);
    StoreBench::simulate();
    Form form{options, bytes / 64, options.clock.time(Cycle{start}), {}, {}, {}};
    form.evaluate();
    CHECK(bench.core().ends == std::vector<Time>{form.copied, form.fenced});
    REQUIRE(bench.device.stores.size() == form.arrivals.size());
    for (std::size_t i = 0; i < form.arrivals.size(); ++i)
        CHECK(bench.device.stores[i] == RecordingDevice::Came{form.arrivals[i], 64 * i, 64});
    CHECK(std::equal(data.begin(), data.end(), bench.device.memory.begin()));
    CHECK(bench.is_over());
}

const StoreBench::Options kSlowClock{.clock = kGmiiClock, .link = {3, 16, 256, 512, 64, 32, Cycle{10}, Cycle{10}}};

/// How long the core needs for a copy and a fence, ps; and until the last byte is at the device.
std::pair<std::int64_t, std::int64_t> copy_times(const StoreBench::Options& options, std::size_t bytes,
                                                 Mapping mapping = Mapping::write_combining) {
    StoreBench bench(options);
    const std::vector<std::uint8_t> data = counted(bytes);
    bench.core().list = {[&](StorePath& path, Time from) {
                             if (bytes > 8) return path.copy(from, bench.bar, data, mapping);
                             path.store(from, bench.bar, data, mapping);
                         },
                         [](StorePath& path, Time from) { path.fence(from); }};
    bench.begin(1'000'000);
    StoreBench::simulate();
    return {bench.core().ends.back().ps - 1'000'000, bench.device.stores.back().at.ps - 1'000'000};
}

StoreBench::Options sisci() {
    StoreBench::Options options{.link = {2, 8, 256, 512, 64, 32, Cycle{80'000}, Cycle{10}}};
    options.store.line = Time{9'700};
    return options;
}

}  // namespace

TEST_CASE("form: 8 bytes: store, evict, down, link, latency; the core's time ends before", "[bridge]") {
    CHECK(copy_times({}, 8) == std::pair<std::int64_t, std::int64_t>{79'000, 1'000 + 20'000 + 40'000 + 2'032 + 80'000});
}
TEST_CASE("form: 64 bytes", "[bridge]") {
    CHECK(copy_times({}, 64) == std::pair<std::int64_t, std::int64_t>{82'800, 4'800 + 60'000 + 5'586 + 80'000});
}
TEST_CASE("form: 256 bytes: the link is slower than the core", "[bridge]") {
    CHECK(copy_times({}, 256) ==
          std::pair<std::int64_t, std::int64_t>{4 * 4'800 + 78'000, 4'800 + 60'000 + 4 * 5'586 + 80'000});
}
TEST_CASE("form: 1024 bytes", "[bridge]") { check_copy({}, 1024); }
TEST_CASE("form: 4096 bytes, the queue of the port not full", "[bridge]") {
    CHECK(copy_times({}, 4096) ==
          std::pair<std::int64_t, std::int64_t>{64 * 4'800 + 78'000, 4'800 + 60'000 + 64 * 5'586 + 80'000});
}
TEST_CASE("form: of a long copy the core goes as fast as the link", "[bridge]") {
    check_copy({}, 1 << 15);
    // 512 lines: far more than 32 places and 10 buffers hide.
}
TEST_CASE("form: a link faster than the core has gaps", "[bridge]") {
    StoreBench::Options options;
    options.store.line = Time{9'700};
    check_copy(options, 1024);
}
TEST_CASE("form: few buffers: a line waits until an earlier one has gone", "[bridge]") {
    StoreBench::Options options;
    options.store.wc.buffers = 3;
    check_copy(options, 1024);
}
TEST_CASE("form: few places: lines wait for them, and the core for buffers", "[bridge]") {
    StoreBench::Options options;
    options.ports.posted = 2;
    check_copy(options, 4096);
}
TEST_CASE("form: with a slower clock the port acts at its edges, the core and the link do not", "[bridge]") {
    check_copy(kSlowClock, 1024);
}
TEST_CASE("form: ... and a long copy is no slower", "[bridge]") { check_copy(kSlowClock, 1 << 15); }
TEST_CASE("form: ... with few places", "[bridge]") {
    StoreBench::Options options = kSlowClock;
    options.ports.posted = 3;
    check_copy(options, 4096);
}
TEST_CASE("form: uncached, 64 bytes are eight stores", "[bridge]") {
    CHECK(copy_times({}, 64, Mapping::uncached) ==
          std::pair<std::int64_t, std::int64_t>{1'000 + 7 * 60'000 + 58'000,
                                                1'000 + 7 * 60'000 + 40'000 + 2'032 + 80'000});
}
TEST_CASE("form: uncached, 4096 bytes, with a slower clock each gap is as long", "[bridge]") {
    const std::int64_t last = 1'000 + 511 * 60'000;
    const Clock clock = kSlowClock.clock;
    StoreBench bench(kSlowClock);
    const std::vector<std::uint8_t> data = counted(4096);
    bench.core().list = {[&](StorePath& path, Time from) { path.copy(from, bench.bar, data, Mapping::uncached); }};
    bench.begin(1000);
    StoreBench::simulate();
    CHECK(bench.core().ends == std::vector<Time>{clock.time(Cycle{1000}) + Time{last}});
    const Time leaves = clock.time(clock.edge(clock.time(Cycle{1000}) + Time{last})) + Time{40'000};
    CHECK(bench.device.stores.back().at == clock.time(clock.edge(leaves + Time{2'032}) + Cycle{10}));
}
// Dolphin's SISCI over PCIe Gen2 x8: what a program needs for one write.
TEST_CASE("SISCI: 64 bytes", "[bridge]") {
    CHECK_THAT(static_cast<double>(copy_times(sisci(), 64).first), WithinRel(87'700.0, 0.01));
}
TEST_CASE("SISCI: 128 bytes", "[bridge]") {
    CHECK_THAT(static_cast<double>(copy_times(sisci(), 128).first), WithinRel(97'600.0, 0.01));
}
TEST_CASE("SISCI: 256 bytes", "[bridge]") {
    CHECK_THAT(static_cast<double>(copy_times(sisci(), 256).first), WithinRel(116'800.0, 0.01));
}
TEST_CASE("two cores share a port line by line", "[bridge]") {
    StoreBench bench({.cores = 2});
    const std::size_t bytes = StoreBench::kBytes / 2;
    const std::vector<std::uint8_t> data = counted(bytes);
    for (std::size_t i = 0; i < 2; ++i)
        bench.cores[i]->list = {
            [&bench, &data, to = bench.bar + i * bytes](StorePath& path, Time from) { path.copy(from, to, data); }};
    bench.begin(1'000'000);
    StoreBench::simulate();
    CHECK(bench.is_over());
    CHECK(std::equal(data.begin(), data.end(), bench.device.memory.begin()));
    CHECK(std::equal(data.begin(), data.end(), bench.device.memory.begin() + static_cast<std::ptrdiff_t>(bytes)));
    // Each at half of the link's rate, to a line.
    const Time first = bench.cores[0]->ends.front(), second = bench.cores[1]->ends.front();
    CHECK(second - first <= Time{2 * 5'586});
    CHECK(first < second);
    std::size_t of_first = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
        of_first += bench.device.stores[i].offset < bytes ? 1 : 0;
        CHECK(2 * of_first <= i + 2);
        CHECK(2 * of_first + 1 >= i);
    }
}
TEST_CASE("form: 64 bytes are stored more than ten times while they are loaded once", "[bridge]") {
    // The thesis' claim N3. A load of the width of a register, and only one at once: down, 24 bytes, the
    // device, and up.
    constexpr std::size_t kTimes = 100;
    constexpr std::int64_t kStored = 4'800 + 60'000 + kTimes * 5'586 + 80'000;  // as the form of 4096 bytes
    StoreBench bench({});
    std::vector<std::uint8_t> into(64);
    bench.core().list.assign(kTimes, [&](StorePath& path, Time from) { path.load(from, bench.bar, into); });
    bench.begin(1'000'000);
    StoreBench::simulate();
    REQUIRE(bench.core().ends.size() == kTimes);
    const std::int64_t loaded = bench.core().ends.back().ps - 1'000'000;
    CHECK(loaded == 2 * kTimes * (40'000 + 1'524 + 80'000 + 100'000 + 40'000));
    CHECK(loaded > 10 * kStored);
}
