// SPDX-License-Identifier: Apache-2.0
// By which port a frame leaves: computed, or learnt.
#include "model/network/switch/forwarding_table.h"

#include <catch2/catch_test_macros.hpp>

#include <optional>

namespace rnicsim {
namespace {

constexpr std::size_t kNone = ForwardingTable::kNone, kAll = ForwardingTable::kAll;

TEST_CASE("a static table knows its hosts and learns nothing", "[network]") {
    ForwardingTable table({}, {2, 0, 3}, 3);  // host 2 is nowhere
    CHECK(table.way(0U, 0, {}) == 2);
    CHECK(table.way(0U, 2, {}) == kNone);  // never back
    CHECK(table.way(2U, 0, {}) == kNone);
    CHECK(table.way(3U, 0, {}) == kNone);
    CHECK(table.way(std::nullopt, 0, {}) == kNone);
    table.learn(0, 1, {});
    CHECK(table.way(0U, 0, {}) == 2);
}

TEST_CASE("a table that learns forgets, and follows a host that has moved", "[network]") {
    SwitchConfig config;
    config.learning = true;
    config.ageing = kSecond;
    ForwardingTable table(config, {2, 0}, 3);
    CHECK(table.way(0U, 0, {}) == kAll);
    CHECK(table.way(std::nullopt, 1, {}) == kAll);
    table.learn(0, 2, kSecond);
    CHECK(table.way(0U, 0, kSecond * 2) == 2);
    CHECK(table.way(0U, 2, kSecond * 2) == kNone);
    CHECK(table.way(0U, 0, kSecond * 2 + Time{1}) == kAll);
    table.learn(0, 1, kSecond * 3);
    CHECK(table.way(0U, 0, kSecond * 3) == 1);
    table.learn(7, 1, kSecond * 3);  // a stranger is not in the table
    CHECK(table.way(7U, 0, kSecond * 3) == kAll);
}

}  // namespace
}  // namespace rnicsim
