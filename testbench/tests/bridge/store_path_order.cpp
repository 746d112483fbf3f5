// SPDX-License-Identifier: Apache-2.0
// Whatever the order in which lines leave: the device gets the bytes of the last stores, and a core loads what it has
// stored. Random programs, beside plain memory.
#include "testbench/tests/support/store_bench.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

using namespace rnicsim;

namespace {

/// Stores, copies, loads and fences in a small part of the device, so that they meet.
class RandomProgram : private InstructionTarget {
  public:
    RandomProgram(StoreBench& bench, const StoreConfig& config, std::uint32_t seed, int instructions)
        : path(config, *bench.bench.root, bench.bench.wakeup(), *this, RandomSource{seed}, seed),
          bar_(bench.bar),
          state_(seed),
          left_(instructions) {}

    void begin(Time from) { next(from); }

    StorePath path;
    std::vector<std::uint8_t> image = std::vector<std::uint8_t>(kBytes);
    int wrong_loads = 0, loads = 0;

  private:
    static constexpr std::uint32_t kBytes = 1024;

    std::uint32_t draw(std::uint32_t below) {
        state_ = state_ * 1664525U + 1013904223U;
        return (state_ >> 8U) % below;
    }
    void ended(Time at) override {
        if (!into_.empty()) {
            const auto stored = image.begin() + static_cast<std::ptrdiff_t>(loaded_from_);
            ++loads;
            wrong_loads += std::equal(into_.begin(), into_.end(), stored) ? 0 : 1;
            into_.clear();
        }
        next(at);
    }
    void next(Time from) {
        if (left_ < 0) return;
        if (left_-- == 0) return path.fence(from);
        const Time begin = from + Time{draw(4) == 0 ? static_cast<std::int64_t>(draw(50'000)) : 0};
        const std::uint32_t what = draw(16);
        if (what == 0) return path.fence(begin);
        const std::uint32_t bytes = 1 + draw(what < 12 ? 64 : 300);
        const std::uint32_t at = draw(kBytes - bytes);
        if (what < 3) {
            into_.assign(bytes, 0);
            loaded_from_ = at;
            return path.load(begin, bar_ + at, into_, mapping(what));
        }
        data_.resize(bytes);
        for (std::uint8_t& byte : data_) byte = static_cast<std::uint8_t>(draw(256));
        std::ranges::copy(data_, image.begin() + at);
        if (what < 12) return path.store(begin, bar_ + at, data_, mapping(what));
        path.copy(begin, bar_ + at, data_, mapping(what));
    }
    static Mapping mapping(std::uint32_t what) {
        return what == 1 || what == 3 || what == 15 ? Mapping::uncached : Mapping::write_combining;
    }

    std::uint64_t bar_;
    std::uint32_t state_;
    int left_;
    std::vector<std::uint8_t> data_, into_;
    std::uint32_t loaded_from_ = 0;
};

void check_random(StoreBench::Options options, std::uint32_t seed, bool credits = false) {
    options.cores = 0;
    StoreBench bench(options);
    CountingGate gate;
    if (credits) bench.port.set_gate(gate);
    RandomProgram program(bench, options.store, seed, 3000);
    bench.bench.run = [&](Cycle now) { program.path.run(now); };
    bench.bench.next_task = [&] { return program.path.next_due(); };
    const Clock& clock = options.clock;
    const auto cycle = [&clock](Time at) { return clock.edge(at).n; };
    bench.at(cycle(kMicrosecond), [&](Cycle now) { program.begin(clock.time(now)); });
    // Interrupts, and credits, until all is over.
    for (std::int64_t i = 0; i < 8'000; ++i) {
        bench.at(cycle(kMicrosecond + Time{200'000} * i), [&, i](Cycle now) {
            if (i % 3 == 0) program.path.interrupt(now);
            if (!credits) return;
            gate.credits = 12;
            bench.port.credits_back(now);
        });
    }
    StoreBench::simulate(kMillisecond * 2);
    CHECK(std::equal(program.image.begin(), program.image.end(), bench.device.memory.begin()));
    CHECK(program.wrong_loads == 0);
    CHECK(program.loads > 300);
    CHECK_FALSE(program.path.busy());
    CHECK(program.path.empty());
    CHECK(bench.port.idle());
    CHECK(bench.bench.pool.in_use() == 0);
}

}  // namespace

TEST_CASE("any order: chunks, oldest first", "[bridge]") { check_random({}, 1); }
TEST_CASE("any order: chunks in any order", "[bridge]") {
    check_random({.store = {.victim = Victim::random, .order = PieceOrder::any}}, 2);
}
TEST_CASE("any order: a TLP a line, in any order, few buffers", "[bridge]") {
    check_random({.store = {.wc = {.buffers = 3, .partial = PartialLine::one_tlp},
                            .victim = Victim::random,
                            .order = PieceOrder::any}},
                 3);
}
TEST_CASE("any order: one buffer, one place, a slower clock", "[bridge]") {
    check_random({.store = {.wc = {.buffers = 1}, .order = PieceOrder::any},
                  .clock = kGmiiClock,
                  .link = {3, 16, 256, 512, 64, 32, Cycle{10}, Cycle{10}},
                  .ports = {.posted = 1}},
                 4);
}
TEST_CASE("any order: nothing is evicted at once, or held for long; loads together", "[bridge]") {
    check_random({.store = {.evict = {},
                            .loads = 4,
                            .width = 8,
                            .wc = {.buffers = 4},
                            .victim = Victim::random,
                            .order = PieceOrder::any,
                            .hold = Time{40'000}},
                  .clock = Clock{Time{3'000}},
                  .link = {2, 4, 128, 512, 64, 32, Cycle{30}, Cycle{10}},
                  .ports = {.posted = 3}},
                 5);
}
TEST_CASE("any order: a device with few credits", "[bridge]") {
    check_random({.store = {.victim = Victim::random, .order = PieceOrder::any}, .ports = {.posted = 4}}, 6, true);
}
