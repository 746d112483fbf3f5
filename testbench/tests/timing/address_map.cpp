// SPDX-License-Identifier: Apache-2.0
// The map of a host's addresses: disjoint, and BARs where they may be.
#include "tlm/pcie/address_map.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <stdexcept>

namespace rnicsim {
namespace {

constexpr std::uint64_t kLast = ~std::uint64_t{0};

TEST_CASE("address map: each byte of a range is found, and none beside it", "[timing]") {
    AddressMap map;
    map.add_dram(0, 1 << 20);
    map.add_bar_at(0, 0, kBar0, 8192);
    CHECK(map.find(0, 1)->kind == AddressKind::dram);
    CHECK(map.find((1 << 20) - 8, 8)->kind == AddressKind::dram);
    CHECK(map.find((1 << 20) - 7, 8) == nullptr);
    CHECK(map.find(1 << 20, 1) == nullptr);
    CHECK(map.find(kBar0 - 1, 1) == nullptr);
    CHECK(map.find(kBar0 - 1, 8192) == nullptr);
    CHECK(map.find(kBar0, 8192)->kind == AddressKind::bar);
    CHECK(map.find(kBar0 + 8191, 1)->kind == AddressKind::bar);
    CHECK(map.find(kBar0 + 8191, 2) == nullptr);
    CHECK(map.find(kInterrupts, 4)->kind == AddressKind::msi);
    CHECK(map.find(kInterrupts + kInterruptBytes - 4, 4)->kind == AddressKind::msi);
    CHECK(map.find(kInterrupts + kInterruptBytes, 4) == nullptr);
    CHECK(map.find(kLast, 1) == nullptr);
    CHECK(map.find(kBar0 + 1, kLast) == nullptr);  // no sum wraps
}

TEST_CASE("address map: BARs are naturally aligned, one behind the other", "[timing]") {
    AddressMap map;
    const std::uint64_t gib = std::uint64_t{1} << 30;
    CHECK(map.add_bar(1, 0, 4096) == 0x3800'0000'0000);
    CHECK(map.add_bar(1, 2, gib / 2) == 0x3800'2000'0000);
    CHECK(map.add_bar(2, 0, 65536) == 0x3800'4000'0000);
    CHECK(map.add_bar(2, 4, gib) == 0x3800'8000'0000);
    const AddressRange* const window = map.find(0x3800'3FFF'FFC0, 64);
    REQUIRE(window != nullptr);
    CHECK(window->device == 1);
    CHECK(window->bar == 2);
    CHECK(map.find(0x3800'3FFF'FFC1, 64) == nullptr);  // the next BAR is another's
    CHECK(map.ranges().size() == 5);
    for (std::size_t i = 1; i < map.ranges().size(); ++i)
        CHECK(map.ranges()[i - 1].base + map.ranges()[i - 1].size <= map.ranges()[i].base);
}

TEST_CASE("address map: what meets another range is refused, up to the last address", "[timing]") {
    AddressMap map;
    map.add_dram(4096, 8192);
    CHECK_THROWS_AS(map.add_dram(0, 4097), std::invalid_argument);
    CHECK_THROWS_AS(map.add_dram(12287, 1), std::invalid_argument);
    CHECK_THROWS_AS(map.add_dram(5000, 1), std::invalid_argument);
    CHECK_THROWS_AS(map.add_dram(0, kLast), std::invalid_argument);
    CHECK_THROWS_AS(map.add_dram(kLast, 2), std::invalid_argument);
    CHECK_THROWS_AS(map.add_bar_at(0, 0, kInterrupts, 4096), std::invalid_argument);
    CHECK_THROWS_AS(map.add_bar_at(0, 0, kBar0 + 4096, 8192), std::invalid_argument);
    CHECK_THROWS_AS(map.add_bar(0, 0, 2048), std::invalid_argument);
    CHECK_THROWS_AS(map.add_bar(0, 0, 3 << 12), std::invalid_argument);
    CHECK_NOTHROW(map.add_dram(0, 4096));
    CHECK_NOTHROW(map.add_dram(12288, 1));
    const std::uint64_t half = std::uint64_t{1} << 63;
    CHECK(map.add_bar(1, 0, half) == half);
    CHECK_THROWS_AS(map.add_bar(1, 1, 4096), std::invalid_argument);
    CHECK(map.find(kLast, 1)->device == 1);
    AddressMap with_last;
    with_last.add_dram(kLast, 1);
    CHECK_THROWS_AS(with_last.add_bar(1, 0, half), std::invalid_argument);
}

}  // namespace
}  // namespace rnicsim
