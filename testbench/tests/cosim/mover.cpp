// SPDX-License-Identifier: Apache-2.0
// The payload mover in Verilog: placing, copying and draining of all lengths, one after the other and at once.
#include "testbench/tests/cosim/mover_bench.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <vector>

namespace rnicsim::mover {
namespace {

TEST_CASE("payload_mover: each length is placed, copied and drained, after each other one", "[cosim]") {
    constexpr std::array<unsigned, 14> kLengths{1, 2, 7, 8, 9, 14, 15, 16, 17, 1465, 1467, 1468, 1471, 1472};
    for (const bool at_once : {false, true}) {
        Bench bench(1, {.tlp = 128, .pieces_at_once = at_once});
        for (const unsigned first : kLengths) {
            for (const unsigned second : kLengths) {
                bench.place(first);
                bench.place(second);
                bench.run_until(bench.next_copy(first));
                const unsigned a = bench.copy(first);
                bench.run_until(bench.next_copy(second));
                const unsigned b = bench.copy(second);
                bench.drain({b, a});
                bench.place(first);
                if (bench.kept().size() > 40) bench.drain(bench.kept());
                bench.finish();
            }
        }
    }
}

TEST_CASE("payload_mover: copies interrupt one another, as early and as long as they may be", "[cosim]") {
    for (const std::size_t placed : {0U, 1U, 12U}) {
        Bench bench(2);
        for (std::int64_t after = kNextCopy; after < 400; ++after) {
            bench.run_until(bench.next_copy(kMost));
            for (std::size_t i = 0; i < placed; ++i) bench.place(bench.pick(kMost - 8, kMost));
            std::vector<unsigned> slots{bench.copy(kMost - after % 8)};
            for (const std::int64_t wait : {after, kNextCopy, kNextCopy, after - 20}) {
                const unsigned bytes = longest(wait);
                bench.run_until(bench.next_copy(bytes));
                slots.push_back(bench.copy(bytes));
            }
            bench.finish();
            std::ranges::reverse(slots);
            bench.drain(slots);
            bench.finish();
        }
    }
}

TEST_CASE("payload_mover: where the link and the buffer want staging for long, both get it", "[cosim]") {
    for (const unsigned bytes : {1U, 8U, 9U, kMost}) {  // of what is placed
        for (const std::uint32_t seed : {1U, 2U, 3U}) {
            Bench bench(seed);
            for (int i = 0; i < 60; ++i) {
                const unsigned copied = i % 5 == 0 ? kMost : longest(bench.pick(kNextCopy, 300));
                bench.run_until(bench.next_copy(copied));
                bench.copy(copied);
                while (bench.now() < bench.next_copy(1)) {
                    if (bench.place_possible()) bench.place(bytes);
                    bench.run(3);
                }
                if (bench.kept().size() == 20) bench.drain(bench.kept());
            }
            bench.finish();
        }
    }
}

TEST_CASE("payload_mover: a drain follows the copy of its own slot, which is interrupted", "[cosim]") {
    for (const unsigned bytes : {1000U, kMost}) {
        for (unsigned placed = 0; placed <= 40; placed += 4) {  // words before it, on the way to the link
            Bench bench(4);
            for (std::int64_t after = kNextCopy; after < 300; ++after) {
                bench.run_until(bench.next_copy(bytes));
                if (placed != 0) bench.place(8 * placed);
                const unsigned slot = bench.copy(bytes);
                bench.drain({slot});
                const unsigned other = longest(after);
                bench.run_until(bench.next_copy(other));
                bench.drain({bench.copy(other)});
                bench.finish();
            }
        }
    }
}

TEST_CASE("payload_mover: what is dropped while it is copied gives its slot to the next", "[cosim]") {
    for (const std::size_t placed : {0U, 1U, 6U}) {
        Bench bench(5);
        for (std::int64_t after = kNextCopy; after < 400; ++after) {
            bench.run_until(bench.next_copy(kMost));
            for (std::size_t i = 0; i < placed; ++i) bench.place(kMost);
            const unsigned slot = bench.copy(kMost);
            bench.run(8);
            bench.drop(slot);
            const unsigned bytes = longest(after);
            bench.run_until(bench.next_copy(bytes));
            CHECK(bench.copy(bytes) == slot);
            bench.drain({slot});
            bench.finish();
        }
    }
}

/// Frames of all kinds, as fast as they may come, drained and dropped at any time.
void run_at_random(std::uint32_t seed) {
    std::mt19937 choice(seed);
    const auto one_of = [&](auto... values) {
        const std::array all{values...};
        return all[choice() % all.size()];
    };
    const unsigned placing = one_of(0U, 1U, 4U, 32U), draining = one_of(0U, 1U, 4U, 64U), dropping = one_of(0U, 1U, 8U);
    const unsigned waiting = one_of(0U, 8U, 32U), longest_copy = one_of(14U, 200U, kMost);
    Pace pace;
    pace.overhead = one_of(2, 3, 10, 60);
    pace.tlp = one_of(128U, 512U, 4096U);
    pace.pieces_at_once = one_of(false, true);
    pace.slowness = one_of(1U, 1U, 2U, 4U);
    pace.stalls = one_of(0U, 0U, 1U, 8U);
    INFO("seed " << seed);
    Bench bench(seed, pace);
    const auto length = [&](unsigned most) {
        constexpr std::array<unsigned, 8> kSome{1, 7, 8, 9, 14, 16, 1468, kMost};
        return std::min(bench.chance(32) ? kSome[bench.pick(0, 7)] : bench.pick(1, kMost), most);
    };
    unsigned bytes = length(kMost);
    std::int64_t at = 0;
    for (int copied = 0; copied < 150;) {
        bench.run(1);
        if (bench.chance(placing) && bench.place_possible()) bench.place(length(kMost));
        if (bench.now() >= std::max(at, bench.next_copy(bytes)) && bench.keep_possible()) {
            bench.copy(bytes);
            ++copied;
            const auto wait = static_cast<std::int64_t>(bench.chance(waiting) ? bench.pick(0, 500) : 0);
            bytes = bench.chance(8) ? length(kMost) : length(longest_copy);
            at = bench.now() + wait;
        }
        std::vector<unsigned> kept = bench.kept();
        if (kept.empty()) continue;
        if (bench.chance(dropping)) {
            bench.drop(kept[bench.pick(0, kept.size() - 1)]);
        } else if (bench.chance(draining) || kept.size() > 60) {
            std::ranges::shuffle(kept, bench.random);
            kept.resize(bench.chance(32) ? kept.size() : bench.pick(1, kept.size()));
            bench.drain(kept);
        }
    }
    bench.finish();
}

TEST_CASE("payload_mover: at random", "[cosim]") {
    for (std::uint32_t seed = 1; seed <= 200; ++seed) run_at_random(seed);
}

}  // namespace
}  // namespace rnicsim::mover
