// SPDX-License-Identifier: Apache-2.0
// A core's stores to a device, to the picosecond: what stays in a buffer, what leaves it when, and when the core goes
// on. W1 to W8: model/host/cpu/store_path.h.
#include "testbench/tests/support/store_bench.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

using namespace rnicsim;
using Stores = std::vector<RecordingDevice::Came>;

namespace {

constexpr std::int64_t kBegin = 1'000'000;  // ps
constexpr Time kStart{kBegin};
constexpr Time kStore{1'000}, kCopied{4'800}, kEvict{20'000}, kDown{40'000}, kFence{58'000}, kLatency{80'000};
// Gen3 x16: 65/1024 ns a byte, rounded up: 24 + 64 bytes, 24 + 8, 24 + 4.
constexpr Time kLineTlp{5'586}, kChunkTlp{2'032}, kWordTlp{1'778};

ListedCore::Instruction store(StoreBench& bench, std::uint64_t offset, std::uint32_t bytes) {
    return
        [&bench, offset, bytes](StorePath& path, Time from) { path.store(from, bench.bar + offset, counted(bytes)); };
}
void fence(StorePath& path, Time from) { path.fence(from); }
/// When a TLP is at the device that has the link for itself.
constexpr Time arrives(Time at_port, Time tlp) { return at_port + kDown + tlp + kLatency; }

}  // namespace

TEST_CASE("W1 a store stays in its buffer while nothing makes it leave", "[bridge]") {
    StoreBench bench({});
    bench.core().list = {store(bench, 0, 8), store(bench, 64, 1), store(bench, 130, 30)};
    bench.begin(kBegin);
    StoreBench::simulate();
    CHECK(bench.core().ends == std::vector<Time>{kStart + kStore, kStart + kStore * 2, kStart + kStore * 3});
    CHECK(bench.device.stores.empty());
    CHECK_FALSE(bench.core().path.empty());
}

TEST_CASE("W2 stores to a line merge; without a buffer the oldest leaves and the store waits for it", "[bridge]") {
    StoreBench bench({.store = {.wc = {.buffers = 2}}});
    bench.core().list = {store(bench, 0, 8), store(bench, 64, 8), store(bench, 4, 8), store(bench, 128, 8),
                         store(bench, 192, 4)};
    bench.begin(kBegin);
    StoreBench::simulate();
    // Line 0 has 12 bytes, in two chunks; the fifth store makes line 64 leave.
    const Time first = kStart + kStore * 4 + kEvict, second = first + kStore + kEvict;
    CHECK(bench.core().ends ==
          std::vector<Time>{kStart + kStore, kStart + kStore * 2, kStart + kStore * 3, first, second});
    CHECK(bench.device.stores == Stores{{arrives(first, kChunkTlp), 0, 8},
                                        {arrives(first, kChunkTlp) + kWordTlp, 8, 4},
                                        {arrives(second, kChunkTlp), 64, 8}});
    CHECK(bench.device.memory[3] == 4);
    CHECK(bench.device.memory[4] == 1);
}

TEST_CASE("W2 a store across lines splits, the lower part first", "[bridge]") {
    StoreBench bench({.store = {.wc = {.buffers = 1}}});
    bench.core().list = {store(bench, 60, 8)};
    bench.begin(kBegin);
    StoreBench::simulate();
    // The upper part needs the buffer of the lower one.
    const Time lower = kStart + kStore + kEvict;
    CHECK(bench.core().ends == std::vector<Time>{lower});
    CHECK(bench.device.stores == Stores{{arrives(lower, kWordTlp), 60, 4}});
}

TEST_CASE("W2 no victim leaves while a line is on its way out anyway", "[bridge]") {
    StoreBench bench({.store = {.wc = {.buffers = 2}}});
    bench.core().list = {store(bench, 0, 8), store(bench, 64, 64), store(bench, 128, 8)};
    bench.begin(kBegin);
    StoreBench::simulate();
    const Time full = kStart + kStore * 2 + kEvict;
    CHECK(bench.core().ends.back() == full);
    CHECK(bench.device.stores == Stores{{arrives(full, kLineTlp), 64, 64}});
}

TEST_CASE("W3 a full line leaves at once, as one TLP, and the core goes on", "[bridge]") {
    StoreBench bench({});
    bench.core().list = {store(bench, 24, 40), store(bench, 0, 24), store(bench, 64, 8)};
    bench.begin(kBegin);
    StoreBench::simulate();
    CHECK(bench.core().ends == std::vector<Time>{kStart + kStore, kStart + kStore * 2, kStart + kStore * 3});
    CHECK(bench.device.stores == Stores{{arrives(kStart + kStore * 2 + kEvict, kLineTlp), 0, 64}});
}

TEST_CASE("W3 a store to a line that leaves waits until it has", "[bridge]") {
    StoreBench bench({});
    bench.core().list = {store(bench, 0, 64), store(bench, 8, 8), fence};
    bench.begin(kBegin);
    StoreBench::simulate();
    const Time left = kStart + kStore + kEvict;
    CHECK(bench.core().ends == std::vector<Time>{kStart + kStore, left, left + kEvict + kFence});
    CHECK(bench.device.stores == Stores{{arrives(left, kLineTlp), 0, 64}, {arrives(left + kEvict, kChunkTlp), 8, 8}});
}

void leaves_in_part(PartialLine partial, const std::vector<std::pair<std::uint64_t, std::uint32_t>>& tlps) {
    StoreBench bench({.store = {.wc = {.partial = partial}}});
    bench.core().list = {store(bench, 40, 12), store(bench, 4, 8), store(bench, 2, 1), fence};
    bench.begin(kBegin);
    StoreBench::simulate();
    std::vector<std::pair<std::uint64_t, std::uint32_t>> sent;
    for (const RecordingDevice::Came& came : bench.device.stores) sent.emplace_back(came.offset, came.bytes);
    CHECK(sent == tlps);
    // All are at the port at once; the link puts one behind the other.
    const Time at_port = kStart + kStore * 3 + kEvict;
    CHECK(bench.device.stores.front().at == arrives(at_port, kWordTlp));
    CHECK(bench.core().ends.back() == at_port + kFence);
    CHECK(bench.is_over());
}

TEST_CASE("W4 a partial line leaves in chunks, ascending, without its holes", "[bridge]") {
    leaves_in_part(PartialLine::chunks, {{2, 1}, {4, 4}, {8, 4}, {40, 8}, {48, 4}});
}

TEST_CASE("W4 ... or as one TLP, but for its holes", "[bridge]") {
    leaves_in_part(PartialLine::one_tlp, {{2, 1}, {4, 8}, {40, 12}});
}

TEST_CASE("W4 where any order is allowed it is another one with another seed", "[bridge]") {
    StoreBench bench({.store = {.victim = Victim::random, .order = PieceOrder::any}, .cores = 2});
    for (const auto& core : bench.cores)
        core->list = {store(bench, 0, 56), store(bench, 64, 56), store(bench, 128, 56), fence};
    bench.at(kBegin, [&](Cycle) { bench.cores[0]->begin(kStart); });
    bench.at(kBegin + 1'000'000, [&](Cycle) { bench.cores[1]->begin(kStart + kMicrosecond); });
    StoreBench::simulate();
    REQUIRE(bench.device.stores.size() == 42);
    std::vector<std::uint64_t> first, second;
    for (std::size_t i = 0; i < 21; ++i) {
        first.push_back(bench.device.stores[i].offset);
        second.push_back(bench.device.stores[21 + i].offset);
    }
    CHECK_FALSE(std::ranges::is_sorted(first));
    CHECK(first != second);
    std::ranges::sort(first);
    std::ranges::sort(second);
    CHECK(first == second);
    CHECK(std::ranges::adjacent_find(first) == first.end());
}

TEST_CASE("W5 an interrupt makes all leave, and nobody waits", "[bridge]") {
    StoreBench bench({});
    bench.core().list = {store(bench, 0, 8), store(bench, 64, 4)};
    bench.begin(kBegin);
    bench.at(kBegin + 500'000, [&](Cycle now) { bench.core().path.interrupt(now); });
    StoreBench::simulate();
    const Time at_port = kStart + Time{500'000} + kEvict;
    CHECK(bench.device.stores ==
          Stores{{arrives(at_port, kChunkTlp), 0, 8}, {arrives(at_port, kChunkTlp) + kWordTlp, 64, 4}});
    CHECK(bench.is_over());
}

TEST_CASE("W5 an interrupt finds what a copy has stored by then", "[bridge]") {
    StoreBench bench({});
    const std::vector<std::uint8_t> data = counted(160);
    bench.core().list = {[&](StorePath& path, Time from) { path.copy(from, bench.bar + 32, data); }};
    bench.begin(kBegin);
    bench.at(kBegin + 5'000, [&](Cycle now) { bench.core().path.interrupt(now); });  // 32 bytes of line 0
    StoreBench::simulate();
    const Time at_port = kStart + Time{5'000} + kEvict;
    REQUIRE(bench.device.stores.size() == 6);
    CHECK(bench.device.stores[0] == RecordingDevice::Came{arrives(at_port, kChunkTlp), 32, 8});
    CHECK(bench.device.stores[3].offset == 56);
    CHECK(bench.device.stores[4].offset == 64);
    CHECK(bench.core().ends == std::vector<Time>{kStart + kCopied * 3});
    CHECK(bench.is_over());
}

TEST_CASE("W5 when the first buffer has been held for long enough all leave", "[bridge]") {
    StoreBench bench({.store = {.hold = Time{300'000}}});
    const auto later = [&bench](StorePath& path, Time from) {
        path.store(from + Time{100'000}, bench.bar + 64, counted(8));
    };
    bench.core().list = {store(bench, 0, 64), store(bench, 128, 4), store(bench, 132, 4), later};
    bench.begin(kBegin);
    StoreBench::simulate();
    // Line 0 was full, so it counts no more; line 128 has been held since its first store.
    const Time at_port = kStart + kStore * 2 + Time{300'000} + kEvict;
    CHECK(bench.device.stores == Stores{{arrives(kStart + kStore + kEvict, kLineTlp), 0, 64},
                                        {arrives(at_port, kChunkTlp), 128, 8},
                                        {arrives(at_port, kChunkTlp) + kChunkTlp, 64, 8}});
    CHECK(bench.is_over());
}

TEST_CASE("W6 a fence ends so long after the port has taken the last line, and never at once", "[bridge]") {
    StoreBench bench({});
    bench.core().list = {fence, store(bench, 0, 8), fence, store(bench, 64, 64), fence, fence};
    bench.begin(kBegin);
    StoreBench::simulate();
    const Time first = kStart + kFence, second = first + kStore + kEvict + kFence;
    CHECK(bench.core().ends[0] == first);
    CHECK(bench.core().ends[2] == second);
    CHECK(bench.core().ends[4] == second + kStore + kEvict + kFence);
    CHECK(bench.core().ends[5] == second + kStore + kEvict + kFence * 2);
    CHECK(bench.is_over());
}

TEST_CASE("W6 a fence waits for a place for the last line", "[bridge]") {
    StoreBench bench({.ports = {.posted = 1}});
    bench.core().list = {store(bench, 0, 64), store(bench, 64, 64), fence};
    bench.begin(kBegin);
    StoreBench::simulate();
    // The place is free when the first line begins to leave.
    const Time first = kStart + kStore + kEvict, second = first + kDown;
    CHECK(bench.core().ends.back() == second + kFence);
    CHECK(bench.device.stores == Stores{{arrives(first, kLineTlp), 0, 64}, {arrives(second, kLineTlp), 64, 64}});
}

TEST_CASE("W7 a load's own line goes before it, other lines stay", "[bridge]") {
    StoreBench bench({});
    std::vector<std::uint8_t> into(8);
    bench.core().list = {store(bench, 0, 8), store(bench, 64, 8),
                         [&](StorePath& path, Time from) { path.load(from, bench.bar + 4, into); }};
    bench.begin(kBegin);
    StoreBench::simulate();
    const Time at_port = kStart + kStore * 2 + kEvict, load = arrives(at_port, kChunkTlp) + Time{1'524};
    CHECK(bench.device.stores == Stores{{arrives(at_port, kChunkTlp), 0, 8}});
    CHECK(bench.device.loads == Stores{{load, 4, 8}});
    CHECK(bench.core().ends.back() == load + Time{100'000} + kDown);
    CHECK(into == std::vector<std::uint8_t>{5, 6, 7, 8, 0, 0, 0, 0});
    CHECK_FALSE(bench.core().path.empty());
}

TEST_CASE("W7 loads of a width, so many at once", "[bridge]") {
    StoreBench bench({.store = {.loads = 2, .width = 32}});
    std::iota(bench.device.memory.begin(), bench.device.memory.end(), std::uint8_t{0});
    std::vector<std::uint8_t> into(100);
    bench.core().list = {[&](StorePath& path, Time from) { path.load(from, bench.bar + 40, into); }};
    bench.begin(kBegin);
    StoreBench::simulate();
    // 24, 32, 32, 12 bytes; the third when the first one is there.
    const Time mrd{1'524}, first = arrives(kStart, mrd), back = Time{100'000} + kDown;
    CHECK(bench.device.loads == Stores{{first, 40, 24},
                                       {first + mrd, 64, 32},
                                       {arrives(first + back, mrd), 96, 32},
                                       {arrives(first + mrd + back, mrd), 128, 12}});
    CHECK(bench.core().ends == std::vector<Time>{arrives(first + mrd + back, mrd) + back});
    for (std::size_t i = 0; i < into.size(); ++i) CHECK(into[i] == 40 + i);
}

TEST_CASE("W7 all ones from where nothing is, and the core goes on", "[bridge]") {
    StoreBench bench({});
    std::vector<std::uint8_t> into(40);
    bench.core().list = {[&](StorePath& path, Time from) { path.load(from, bench.bar + StoreBench::kBytes, into); },
                         store(bench, StoreBench::kBytes, 64), store(bench, 0, 8)};
    bench.begin(kBegin);
    StoreBench::simulate();
    CHECK(into == std::vector<std::uint8_t>(40, 0xFF));
    CHECK(bench.core().ends.front() == kStart + kDown * 4);
    CHECK(bench.core().ends.size() == 3);
    CHECK(bench.bench.root->unsupported() == 3);
}

TEST_CASE("W8 uncached stores go one by one, so long apart, when all buffers have gone", "[bridge]") {
    StoreBench bench({});
    const auto uncached = [&bench](std::uint64_t offset, std::uint32_t bytes) {
        return [&bench, offset, bytes](StorePath& path, Time from) {
            path.store(from, bench.bar + offset, counted(bytes), Mapping::uncached);
        };
    };
    bench.core().list = {store(bench, 0, 8), uncached(64, 8), uncached(72, 4), fence};
    bench.begin(kBegin);
    StoreBench::simulate();
    const Time wc = kStart + kStore * 2 + kEvict, second = wc + Time{60'000};
    CHECK(bench.core().ends == std::vector<Time>{kStart + kStore, wc, second, second + kFence});
    CHECK(bench.device.stores == Stores{{arrives(wc, kChunkTlp), 0, 8},
                                        {arrives(wc, kChunkTlp) + kChunkTlp, 64, 8},
                                        {arrives(second, kWordTlp), 72, 4}});
    CHECK(bench.is_over());
}

TEST_CASE("W8 an uncached load makes all leave; an uncached store waits for a place", "[bridge]") {
    StoreBench bench({.store = {.uc_gap = Time{1'000}}, .ports = {.posted = 1}});
    std::vector<std::uint8_t> into(4);
    const std::vector<std::uint8_t> data = counted(16);
    bench.core().list = {store(bench, 128, 8),
                         [&](StorePath& path, Time from) { path.load(from, bench.bar, into, Mapping::uncached); },
                         [&](StorePath& path, Time from) { path.copy(from, bench.bar, data, Mapping::uncached); }};
    bench.begin(kBegin);
    StoreBench::simulate();
    REQUIRE(bench.core().ends.size() == 3);
    CHECK(bench.device.loads.front().at == arrives(kStart + kStore + kEvict, kChunkTlp) + Time{1'524});
    const Time first = bench.core().ends[1] + kStore;
    CHECK(bench.core().ends[2] == first + kDown);
    CHECK(bench.device.stores[1] == RecordingDevice::Came{arrives(first, kChunkTlp), 0, 8});
    CHECK(bench.device.stores[2] == RecordingDevice::Came{arrives(first + kDown, kChunkTlp), 8, 8});
    CHECK(bench.is_over());
}
