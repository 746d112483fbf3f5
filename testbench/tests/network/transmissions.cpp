// SPDX-License-Identifier: Apache-2.0
// How often a PSN has been sent: what names its loss on a tape, and what its draw depends on.
#include "model/rnic/rc/names/transmissions.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>

namespace rnicsim {
namespace {

TEST_CASE("transmissions of a PSN are counted however many others are open", "[network]") {
    for (const std::uint32_t others : {1U, 63U, 64U, 1'024U, 5'000U, 70'000U}) {
        Transmissions sent;
        for (std::uint32_t psn = 0; psn < others; ++psn) REQUIRE(sent.count(psn, 0) == 0);
        for (std::uint32_t psn = 0; psn < others; ++psn) REQUIRE(sent.count(psn, 0) == 1);
        CHECK(sent.count(0, 0) == 2);
        CHECK(sent.count(others, 0) == 0);
    }
}

TEST_CASE("what is over is forgotten: memory does not grow", "[network]") {
    Transmissions sent;
    constexpr std::uint32_t kOpen = 500;
    for (std::uint32_t psn = 0; psn < 1'000'000; ++psn) {
        const std::uint32_t settled = psn < kOpen ? 0 : psn - kOpen;
        REQUIRE(sent.count(psn, settled) == 0);
        REQUIRE(sent.count(settled, settled) > 0);
    }
    CHECK(sent.room() == 1024);
}

TEST_CASE("PSNs around the wrap are told apart", "[network]") {
    Transmissions sent;
    constexpr std::uint32_t kLast = (1U << 24U) - 1;
    CHECK(sent.count(0, 0) == 0);
    CHECK(sent.count(kLast, 0) == 0);  // an answer to one before the first
    CHECK(sent.count(kLast, 0) == 1);
    CHECK(sent.count(0, 0) == 1);
}

TEST_CASE("all PSNs later one is new", "[network]") {
    Transmissions sent;
    for (std::uint32_t psn = 0; psn < 1U << 24U; ++psn) REQUIRE(sent.count(psn, psn) == 0);
    CHECK(sent.count(5, 5) == 0);
    CHECK(sent.count(5, 5) == 1);
}

}  // namespace
}  // namespace rnicsim
