// SPDX-License-Identifier: Apache-2.0
// Draws by key: every bit of every part of the key matters, parts are not interchangeable, draws of neighbouring keys
// are independent.
#include "model/random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <set>

namespace rnicsim {
namespace {

constexpr RandomStream kStream = RandomStream::frame_loss;

TEST_CASE("each bit of seed, repetition and key changes half of the bits drawn", "[smoke]") {
    using Draw = std::function<std::uint64_t(std::uint64_t)>;
    const std::array<Draw, 5> parts{
        [](std::uint64_t v) {
            return RandomSource{v, 0}.bits(kStream, 1, 2, 3);
        },
        [](std::uint64_t v) {
            return RandomSource{1, v & 0xFFFFFFFF}.bits(kStream, 1, 2, 3);
        },
        [](std::uint64_t v) {
            return RandomSource{1, 0}.bits(kStream, v, 2, 3);
        },
        [](std::uint64_t v) {
            return RandomSource{1, 0}.bits(kStream, 1, v, 3);
        },
        [](std::uint64_t v) {
            return RandomSource{1, 0}.bits(kStream, 1, 2, v);
        },
    };
    for (const Draw& draw : parts) {
        for (int bit = 0; bit < 32; ++bit) {
            int flipped = 0;
            for (std::uint64_t base = 0; base < 64; ++base) {
                flipped += std::popcount(draw(base * 977) ^ draw((base * 977) ^ (std::uint64_t{1} << bit)));
            }
            // 64 x 64 bits, half of them: 2048, standard deviation 32; six of those.
            CHECK(flipped > 2048 - 192);
            CHECK(flipped < 2048 + 192);
        }
    }
}

TEST_CASE("small keys in every place: no two draws are equal", "[smoke]") {
    std::set<std::uint64_t> seen;
    for (const RandomStream stream : {RandomStream::frame_loss, RandomStream::registration, RandomStream::payload}) {
        for (std::uint64_t repetition = 0; repetition < 3; ++repetition) {
            for (std::uint64_t key = 0; key < 16 * 16 * 16; ++key) {
                seen.insert(RandomSource{1, repetition}.bits(stream, key % 16, key / 16 % 16, key / 256));
            }
        }
    }
    CHECK(seen.size() == 3 * 3 * 4096);
}

TEST_CASE("pairs of neighbouring draws are uniform on the square", "[smoke]") {
    // 8 x 8 cells, chi-square with 63 degrees of freedom: 0.1 % above 103.4, 0.1 % below 32.5 (seed fixed).
    for (int place = 0; place < 3; ++place) {
        std::array<int, 64> cells{};
        const auto draw = [place](std::uint64_t i) {
            return RandomSource{1, 0}.uniform(kStream, place == 0 ? i : 5, place == 1 ? i : 5, place == 2 ? i : 5);
        };
        for (std::uint64_t i = 0; i < 64'000; ++i) {
            const auto x = static_cast<std::size_t>(draw(i) * 8);
            const auto y = static_cast<std::size_t>(draw(i + 1) * 8);
            ++cells[8 * y + x];
        }
        double chi = 0;
        for (const int n : cells) chi += (n - 1000.0) * (n - 1000.0) / 1000.0;
        CHECK(chi < 103.4);
        CHECK(chi > 32.5);
    }
}

TEST_CASE("uniform draws start at 0 and never reach 1", "[smoke]") {
    double least = 1;
    double most = 0;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        const double value = RandomSource{7, 3}.uniform(kStream, i, 0, 0);
        least = std::min(least, value);
        most = std::max(most, value);
    }
    CHECK(least >= 0);
    CHECK(least < 0.0005);
    CHECK(most < 1);
    CHECK(most > 0.9995);
}

}  // namespace
}  // namespace rnicsim
