// SPDX-License-Identifier: Apache-2.0
// Credits of posted TLPs: how many one needs, when they are back, and which are out.
#include "model/ntb/credits.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim::ntb {
namespace {

bool same(const Credits::Amount& of, std::uint32_t headers, std::uint32_t data) {
    return of.headers == headers && of.data == data;
}

TEST_CASE("a TLP needs a header credit, and one of data for each 16 bytes that it begins", "[bridge]") {
    CHECK(same(Credits::of(1, 1), 1, 1));
    CHECK(same(Credits::of(1, 16), 1, 1));
    CHECK(same(Credits::of(1, 17), 1, 2));
    CHECK(same(Credits::of(3, 192), 3, 12));
}
TEST_CASE("credits of both kinds are taken, or none", "[bridge]") {
    Credits credits({.headers = 2, .data = 4});
    CHECK_FALSE(credits.take(Time{}, {1, 5}));
    CHECK_FALSE(credits.take(Time{}, {3, 1}));
    CHECK(same(credits.out(), 0, 0));
    CHECK(credits.take(Time{}, {1, 3}));
    CHECK(same(credits.out(), 1, 3));
    CHECK_FALSE(credits.take(Time{}, {1, 2}));
    CHECK(credits.take(Time{}, {1, 1}));
    CHECK_FALSE(credits.take(Time{}, {1, 0}));
}
TEST_CASE("credits are back when their UpdateFC is, and in its order", "[bridge]") {
    Credits credits({.headers = 2, .data = 4});
    REQUIRE(credits.take(Time{}, {1, 3}));
    REQUIRE(credits.take(Time{}, {1, 1}));
    CHECK(credits.next() == kEndOfTime);
    credits.give(Time{100}, {1, 3});
    CHECK(same(credits.out(), 1, 1));
    credits.give(Time{50}, {1, 1});  // not before the other one
    CHECK(same(credits.out(), 0, 0));
    CHECK(credits.next() == Time{100});
    CHECK_FALSE(credits.take(Time{99}, {1, 1}));
    CHECK(credits.take(Time{100}, {2, 4}));
    CHECK(same(credits.out(), 2, 4));
    CHECK(credits.next() == kEndOfTime);
}

}  // namespace
}  // namespace rnicsim::ntb
