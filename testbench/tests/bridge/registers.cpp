// SPDX-License-Identifier: Apache-2.0
// Registers of a bridge's side: which there are, and what a write does.
#include "model/ntb/registers.h"
#include "model/ntb/config.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <variant>

using namespace rnicsim;
using ntb::Registers;

namespace {

template <typename Value>
std::optional<Registers::Effect> write(Registers& of, std::uint64_t at, Value value) {
    std::array<std::uint8_t, sizeof value> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    return of.write(at, bytes);
}
template <typename Value>
Value read(const Registers& of, std::uint64_t at, const Registers& peer = {}) {
    std::array<std::uint8_t, sizeof(Value)> bytes{};
    REQUIRE(of.read(at, bytes, peer));
    Value value{};
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

}  // namespace

TEST_CASE("an access is of a whole register, or of a half of a long one", "[bridge]") {
    Registers of;
    of.place(0, 1 << 16, 1 << 12);
    std::array<std::uint8_t, 8> room{};
    unsigned words = 0, longs = 0, others = 0;
    for (std::uint64_t at = 0; at < 0x400; ++at) {
        for (std::size_t bytes = 1; bytes <= room.size(); ++bytes) {
            const std::span<std::uint8_t> span = std::span(room).first(bytes);
            const bool written = of.write(at, span).has_value();
            (bytes == 4 ? words : bytes == 8 ? longs : others) += written ? 1U : 0U;
            // All can be read, but for doorbells.
            const bool is_doorbell = at >= 0x100 && at < 0x180;
            CAPTURE(at, bytes);
            CHECK(of.read(at, span, Registers{}) == (written && !is_doorbell));
        }
    }
    CHECK(longs == 4);                     // base, limit, status, disable
    CHECK(words == 2 * 4 + 16 + 16 + 32);  // their halves; scratchpads, the other side's, doorbells
    CHECK(others == 1);                    // misses
}
TEST_CASE("a window is written whole or in halves, and is on with its limit", "[bridge]") {
    Registers of;
    of.place(0, 0x10'0000, 0x1000);
    of.place(1, 0x20'0000, 0x1000);
    CHECK(!of.windows()[0].translate(0x10'0000, 8));
    CHECK(write(of, 0x10, std::uint32_t{0x7000}));
    CHECK(write(of, 0x14, std::uint32_t{0x1}));
    CHECK(write(of, 0x18, std::uint64_t{0x10'0800}));
    CHECK(of.windows()[0].translate(0x10'0008, 8) == 0x1'0000'7008U);
    CHECK(!of.windows()[0].translate(0x10'0800, 8));
    CHECK(!of.windows()[1].translate(0x20'0000, 8));
    CHECK(write(of, 0x20, std::uint64_t{0x9000}));
    CHECK(write(of, 0x28, std::uint64_t{0x20'1000}));
    CHECK(of.windows()[1].translate(0x20'0FF8, 8) == 0x9FF8U);
    CHECK(read<std::uint64_t>(of, 0x10) == 0x1'0000'7000U);
}
TEST_CASE("doorbells merge until the status is cleared, and what was masked comes with the mask's end", "[bridge]") {
    Registers of;
    CHECK(std::get<Registers::Doorbell>(*write(of, 0x100 + 4 * 31, std::uint32_t{1})).bit == 31);
    CHECK(of.ring(5));
    CHECK(!of.ring(5));
    CHECK(write(of, 0x40, std::uint32_t{1U << 4U}));  // another one
    CHECK(!of.ring(5));
    CHECK(write(of, 0x40, std::uint32_t{1U << 5U}));
    CHECK(of.status() == 0);
    CHECK(write(of, 0x48, std::uint64_t{3} << 5U));
    CHECK(!of.ring(6));
    CHECK(!of.ring(5));
    CHECK(of.status() == std::uint64_t{3} << 5U);
    CHECK(std::get<Registers::Unmasked>(*write(of, 0x48, std::uint64_t{1} << 6U)).bit == 5);
    CHECK(std::holds_alternative<std::monostate>(*write(of, 0x48, std::uint64_t{1} << 6U)));
    CHECK(of.ring(ntb::kLinkBit));
}
TEST_CASE("of several that were masked the lowest interrupts", "[bridge]") {
    Registers of;
    CHECK(write(of, 0x48, std::uint64_t{0xF0}));
    for (const std::uint32_t bit : {7U, 5U, 6U}) CHECK(!of.ring(bit));
    CHECK(std::get<Registers::Unmasked>(*write(of, 0x48, std::uint64_t{0})).bit == 5);
}
TEST_CASE("scratchpads: one's own are written here, the other side's there", "[bridge]") {
    Registers of, peer;
    CHECK(std::holds_alternative<std::monostate>(*write(of, 0x80 + 8, 77U)));
    const auto there = std::get<Registers::Scratchpad>(*write(of, 0x180 + 12, 88U));
    CHECK(there.number == 3);
    peer.set_scratchpad(there);
    CHECK(read<std::uint32_t>(of, 0x88) == 77);
    CHECK(read<std::uint32_t>(of, 0x18C, peer) == 88);
    CHECK(read<std::uint32_t>(of, 0x8C) == 0);
    CHECK(read<std::uint32_t>(peer, 0x188, of) == 77);
}
TEST_CASE("misses stop at all ones, and a write clears them", "[bridge]") {
    Registers of;
    for (unsigned i = 0; i < 70'000; ++i) of.missed();
    CHECK(read<std::uint16_t>(of, 0x70) == 0xFFFF);
    CHECK(write(of, 0x70, std::uint16_t{0}));
    CHECK(read<std::uint16_t>(of, 0x70) == 0);
}
