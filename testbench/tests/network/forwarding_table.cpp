// By which port a frame leaves: computed, or learnt.
#include "model/network/switch/forwarding_table.h"

#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace rnicsim {
namespace {

using Ports = std::vector<std::size_t>;

TEST_CASE("a static table knows its hosts and learns nothing", "[network]") {
    ForwardingTable table({}, {2, 0, 3}, 3);  // host 2 is nowhere
    CHECK(table.ways(0U, 0, {}) == Ports{2});
    CHECK(table.ways(0U, 2, {}).empty());  // never back
    CHECK(table.ways(2U, 0, {}).empty());
    CHECK(table.ways(3U, 0, {}).empty());
    CHECK(table.ways(std::nullopt, 0, {}).empty());
    table.learn(0, 1, {});
    CHECK(table.ways(0U, 0, {}) == Ports{2});
}

TEST_CASE("a table that learns forgets, and follows a host that has moved", "[network]") {
    SwitchConfig config;
    config.learning = true;
    config.ageing = kSecond;
    ForwardingTable table(config, {2, 0}, 3);
    CHECK(table.ways(0U, 0, {}) == Ports{1, 2});
    CHECK(table.ways(std::nullopt, 1, {}) == Ports{0, 2});
    table.learn(0, 2, kSecond);
    CHECK(table.ways(0U, 0, kSecond * 2) == Ports{2});
    CHECK(table.ways(0U, 2, kSecond * 2).empty());
    CHECK(table.ways(0U, 0, kSecond * 2 + Time{1}) == Ports{1, 2});
    table.learn(0, 1, kSecond * 3);
    CHECK(table.ways(0U, 0, kSecond * 3) == Ports{1});
    table.learn(7, 1, kSecond * 3);  // a stranger is not in the table
    CHECK(table.ways(7U, 0, kSecond * 3) == Ports{1, 2});
}

}  // namespace
}  // namespace rnicsim
