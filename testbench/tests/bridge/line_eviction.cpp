// SPDX-License-Identifier: Apache-2.0
// Which lines leave, and in which order: where it is drawn everything that may happen does, and nothing else.
#include "model/host/cpu/line_eviction.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <set>
#include <vector>

using namespace rnicsim;
using Stored = WriteCombining::Stored;

namespace {

constexpr Time kEvictionTime{20'000};
const std::vector<std::uint8_t> kWord(8, 0x55);

StoreConfig drawn(std::uint32_t buffers) {
    StoreConfig config;
    config.evict = kEvictionTime;
    config.wc.buffers = buffers;
    config.victim = Victim::random;
    config.order = PieceOrder::any;
    return config;
}
/// All that goes by then, by address.
std::vector<std::uint64_t> gone(LineEviction& lines, Time now) {
    std::vector<std::uint64_t> found;
    while (lines.next_ready() <= now) {
        const std::uint64_t line = lines.next_line(now);
        found.push_back(lines.take().address);
        CHECK((found.back() & ~std::uint64_t{63}) == line);
    }
    return found;
}

}  // namespace

TEST_CASE("eviction: each buffer is a victim some time, or the oldest always", "[bridge]") {
    for (const Victim victim : {Victim::oldest, Victim::random}) {
        StoreConfig config = drawn(4);
        config.victim = victim;
        LineEviction lines(config, RandomSource{}, 0);
        std::set<std::uint64_t> victims;
        for (std::int64_t round = 0; round < 64; ++round) {
            const Time at = kMicrosecond * round;
            for (std::uint64_t line = 0; line < 4; ++line) CHECK(lines.store(at, 64 * line, kWord) == Stored::taken);
            CHECK(lines.store(at, 256, kWord) == Stored::no_buffer);
            CHECK(gone(lines, at + kEvictionTime - kPicosecond).empty());
            const std::vector<std::uint64_t> first = gone(lines, at + kEvictionTime);
            REQUIRE(first.size() == 1);
            victims.insert(first.front());
            lines.drain(at + kEvictionTime);
            CHECK(gone(lines, at + kEvictionTime * 2).size() == 3);
        }
        CHECK(victims ==
              (victim == Victim::random ? std::set<std::uint64_t>{0, 64, 128, 192} : std::set<std::uint64_t>{0}));
    }
}
TEST_CASE("eviction: chunks in any order, of several lines too; ascending where that is asked for", "[bridge]") {
    for (const PieceOrder order : {PieceOrder::ascending, PieceOrder::any}) {
        StoreConfig config = drawn(4);
        config.victim = Victim::oldest;
        config.order = order;
        LineEviction lines(config, RandomSource{}, 0);
        std::set<std::vector<std::uint64_t>> orders;
        for (std::int64_t round = 0; round < 1000; ++round) {
            const Time at = kMicrosecond * round;
            for (const std::uint64_t address : {64, 72, 0, 8}) CHECK(lines.store(at, address, kWord) == Stored::taken);
            lines.drain(at);
            orders.insert(gone(lines, at + kEvictionTime));
            CHECK(lines.empty());
        }
        // All orders of four; else by line as they were taken.
        if (order == PieceOrder::any) CHECK(orders.size() == 24);
        if (order == PieceOrder::ascending) CHECK(orders == std::set<std::vector<std::uint64_t>>{{64, 72, 0, 8}});
    }
}
TEST_CASE("eviction: no line goes before its time, whatever the order", "[bridge]") {
    LineEviction lines(drawn(4), RandomSource{}, 0);
    for (std::int64_t round = 0; round < 64; ++round) {
        const Time at = kMicrosecond * round, later = at + Time{1};
        for (const std::uint64_t address : {0, 64, 128}) CHECK(lines.store(at, address, kWord) == Stored::taken);
        lines.drain_line(at, 64);
        lines.drain(later);
        CHECK(lines.next_ready() == at + kEvictionTime);
        CHECK(gone(lines, at + kEvictionTime) == std::vector<std::uint64_t>{64});
        CHECK(gone(lines, later + kEvictionTime).size() == 2);
    }
}
TEST_CASE("eviction: cores draw for themselves", "[bridge]") {
    std::set<std::vector<std::uint64_t>> orders;
    for (std::uint64_t core = 0; core < 8; ++core) {
        LineEviction lines(drawn(10), RandomSource{}, core);
        for (std::uint64_t line = 0; line < 10; ++line) CHECK(lines.store({}, 64 * line, kWord) == Stored::taken);
        lines.drain({});
        orders.insert(gone(lines, kEvictionTime));
    }
    CHECK(orders.size() == 8);
}
