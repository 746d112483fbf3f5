// SPDX-License-Identifier: Apache-2.0
// Which port of a switch leads to which host.
#include "model/network/routes.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

constexpr Node host(unsigned i) { return {Node::Kind::host, i}; }
constexpr Node sw(unsigned i) { return {Node::Kind::network_switch, i}; }

std::vector<LinkConfig> links(const std::vector<std::array<Node, 2>>& between) {
    std::vector<LinkConfig> all;
    for (const std::array<Node, 2>& ends : between) all.emplace_back().between = ends;
    return all;
}

std::vector<std::size_t> hops(const Routes& routes, unsigned from, unsigned to) {
    std::vector<std::size_t> found;
    for (const Routes::Port& port : routes.path(from, to)) found.push_back(port.link);
    return found;
}

using Hops = std::vector<std::size_t>;

TEST_CASE("two hosts on a link need no switch", "[network]") {
    const Routes routes(2, 0, links({{host(0), host(1)}}));
    CHECK(hops(routes, 0, 1) == Hops{0});
    CHECK(hops(routes, 1, 0) == Hops{0});
    CHECK(routes.path(1, 0).front().side == 1);
    CHECK(routes.path(0, 0).empty());
}

TEST_CASE("a star: each host has a port, in the order of the links", "[network]") {
    const Routes routes(3, 1, links({{host(2), sw(0)}, {sw(0), host(0)}, {host(1), sw(0)}}));
    CHECK(routes.to_hosts(0) == std::vector<std::size_t>{1, 2, 0});
    CHECK(routes.ports(0).at(1).side == 0);
    CHECK(hops(routes, 2, 1) == Hops{0, 2});
}

TEST_CASE("the shortest way counts, and of equal ones the first port", "[network]") {
    // s0 - s1 twice, s0 - s2 - s1 as a detour.
    const Routes routes(
        2, 3,
        links({{host(0), sw(0)}, {sw(0), sw(2)}, {sw(2), sw(1)}, {sw(0), sw(1)}, {sw(0), sw(1)}, {host(1), sw(1)}}));
    CHECK(hops(routes, 0, 1) == Hops{0, 3, 5});
    CHECK(hops(routes, 1, 0) == Hops{5, 3, 0});
    CHECK(routes.to_hosts(2) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("a host that no way leads to", "[network]") {
    const Routes routes(3, 2, links({{host(0), sw(0)}, {host(1), sw(0)}, {host(2), sw(1)}}));
    CHECK(routes.path(0, 2).empty());
    CHECK(routes.path(2, 0).empty());
    CHECK(routes.to_hosts(0).at(2) == routes.ports(0).size());
    CHECK(hops(routes, 0, 1) == Hops{0, 1});
}

TEST_CASE("a line of switches is crossed from end to end", "[network]") {
    constexpr unsigned kSwitches = 40;
    std::vector<std::array<Node, 2>> between{{host(0), sw(0)}};
    for (unsigned i = 1; i < kSwitches; ++i) between.push_back({sw(i - 1), sw(i)});
    between.push_back({sw(kSwitches - 1), host(1)});
    const Routes routes(2, kSwitches, links(between));
    CHECK(routes.path(0, 1).size() == kSwitches + 1);
    CHECK(routes.path(1, 0).size() == kSwitches + 1);
}

}  // namespace
}  // namespace rnicsim
