// SPDX-License-Identifier: Apache-2.0
// Write-combining buffers: what merges, what waits, and in which pieces a line leaves.
#include "model/host/cpu/write_combining.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

using namespace rnicsim;
using Stored = WriteCombining::Stored;

namespace {

std::vector<std::uint8_t> bytes_of(std::uint32_t count, std::uint8_t first = 1) {
    std::vector<std::uint8_t> bytes(count);
    std::iota(bytes.begin(), bytes.end(), first);
    return bytes;
}

}  // namespace

TEST_CASE("stores to a line merge in any order; the last one to a byte counts", "[bridge]") {
    WriteCombining buffers({});
    CHECK(buffers.store(0x1010, bytes_of(8)) == Stored::taken);
    CHECK(buffers.store(0x1000, bytes_of(8, 100)) == Stored::taken);
    CHECK(buffers.store(0x1012, bytes_of(2, 50)) == Stored::taken);
    REQUIRE(buffers.buffers().size() == 1);
    CHECK(buffers.buffers()[0].mask == 0xFF00FF);
    REQUIRE(buffers.pieces(0) == 2);
    const WriteCombining::Piece second = buffers.take(0, 1);
    CHECK(second.address == 0x1010);
    CHECK(second.bytes == 8);
    CHECK(second.mask == 0xFF);
    CHECK(std::vector(second.data.begin(), second.data.begin() + 8) ==
          std::vector<std::uint8_t>{1, 2, 50, 51, 5, 6, 7, 8});
    CHECK(buffers.take(0, 0).address == 0x1000);
    CHECK(buffers.empty());
}
TEST_CASE("a full line leaves at once, whatever a partial one does", "[bridge]") {
    for (const PartialLine partial : {PartialLine::chunks, PartialLine::one_tlp}) {
        WriteCombining buffers({.partial = partial});
        for (std::uint32_t at = 0; at < 64; at += 8) {
            CHECK(!buffers.full());
            CHECK(buffers.store(0x2000 + (at + 24) % 64, bytes_of(8)) == Stored::taken);
        }
        REQUIRE(buffers.full() == std::size_t{0});
        REQUIRE(buffers.pieces(0) == 1);
        const WriteCombining::Piece line = buffers.take(0, 0);
        CHECK(line.address == 0x2000);
        CHECK(line.bytes == 64);
        CHECK(line.mask == ~std::uint64_t{0});
        CHECK(buffers.empty());
    }
}
TEST_CASE("a partial line leaves in aligned chunks, or at once", "[bridge]") {
    WriteCombining chunks({}), whole({.partial = PartialLine::one_tlp});
    for (WriteCombining* const buffers : {&chunks, &whole}) CHECK(buffers->store(0x3004, bytes_of(9)) == Stored::taken);
    CHECK(chunks.pieces(0) == 2);
    const WriteCombining::Piece low = chunks.take(0, 0), high = chunks.take(0, 0);
    CHECK((low.address == 0x3000 && low.mask == 0xF0));
    CHECK((high.address == 0x3008 && high.mask == 0x1F));
    REQUIRE(whole.pieces(0) == 1);
    const WriteCombining::Piece all = whole.take(0, 0);
    CHECK((all.address == 0x3000 && all.bytes == 64 && all.mask == 0x1FF0));
}
TEST_CASE("a store finds no buffer while all are in use, and none of a line that is leaving", "[bridge]") {
    WriteCombining buffers({.buffers = 2});
    CHECK(buffers.store(0x1000, bytes_of(16)) == Stored::taken);
    CHECK(buffers.store(0x1040, bytes_of(8)) == Stored::taken);
    CHECK(buffers.store(0x1080, bytes_of(8)) == Stored::no_buffer);
    CHECK(buffers.store(0x1048, bytes_of(8)) == Stored::taken);
    CHECK(buffers.take(0, 1).address == 0x1008);
    CHECK(buffers.store(0x1010, bytes_of(8)) == Stored::its_line);
    CHECK(buffers.store(0x1080, bytes_of(8)) == Stored::no_buffer);
    CHECK(buffers.take(0, 0).address == 0x1000);
    CHECK(buffers.store(0x1010, bytes_of(8)) == Stored::taken);
}
TEST_CASE("whatever the order of stores and pieces, memory gets the bytes of the last stores", "[bridge]") {
    const auto seed = static_cast<std::uint32_t>(GENERATE(range(1, 40)));
    std::uint32_t state = seed;
    const auto draw = [&state](std::uint32_t below) {
        state = state * 1664525U + 1013904223U;
        return (state >> 8U) % below;
    };
    const PartialLine partial = seed % 2 == 0 ? PartialLine::chunks : PartialLine::one_tlp;
    WriteCombining buffers({.buffers = 1 + draw(4), .partial = partial});
    std::array<std::uint8_t, 512> memory{}, wanted{};
    const auto leave = [&](std::size_t buffer) {
        const WriteCombining::Piece piece = buffers.take(buffer, draw(buffers.pieces(buffer)));
        for (std::uint32_t i = 0; i < piece.bytes; ++i)
            if ((piece.mask >> i & 1U) != 0) memory.at(piece.address + i) = piece.data.at(i);
    };
    for (int i = 0; i < 2000; ++i) {
        const std::uint32_t bytes = 1U << draw(4), at = draw(512 / bytes) * bytes;
        const std::vector<std::uint8_t> data = bytes_of(bytes, static_cast<std::uint8_t>(1 + draw(200)));
        while (buffers.store(at, data) != Stored::taken)
            leave(draw(static_cast<std::uint32_t>(buffers.buffers().size())));
        std::ranges::copy(data, wanted.begin() + at);
        if (const auto full = buffers.full()) leave(*full);
        if (!buffers.empty() && draw(4) == 0) leave(draw(static_cast<std::uint32_t>(buffers.buffers().size())));
    }
    while (!buffers.empty()) leave(0);
    CHECK(memory == wanted);
}
