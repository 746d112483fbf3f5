// SPDX-License-Identifier: Apache-2.0
// Hosts of several personalities in one network, in any order: their numbers mean nothing.
#include "testbench/tests/network/star.h"

#include "model/rnic/plain/end_config.h"
#include "model/system.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <vector>

namespace rnicsim {
namespace {

/// A server and a client with DRP RNICs, and two plain hosts, at one switch.
RunConfig two_kinds() {
    RunConfig config = star(1, 60'000, 5);
    config.names = HostNames::of_network({"server", "client", "noise", "sink"});
    config.groups = {"server", "client", "noise", "sink"};
    config.hosts.insert(config.hosts.end(), 2, PlainEndConfig{});
    for (unsigned host = 2; host < 4; ++host) {
        LinkConfig& link = config.links.emplace_back(config.links[0]);
        link.between[0] = {Node::Kind::host, host};
    }
    for (unsigned host = 0; host < 4; ++host) config.links[host].name = config.names[host] + "-s0";
    TrafficConfig& noise = config.traffic.emplace_back();
    noise.name = "noise";
    noise.workload = Workload::frames;
    noise.from = {2};
    noise.to = {3};
    noise.size = 1'000;
    noise.transfers = 200;
    return config;
}

/// The same, with host `order[i]` as host i.
RunConfig in_order(const RunConfig& config, const std::vector<unsigned>& order) {
    RunConfig other = config;
    const auto number_of = [&](unsigned host) {
        return static_cast<unsigned>(std::ranges::find(order, host) - order.begin());
    };
    std::vector<std::string> names;
    for (unsigned host = 0; host < order.size(); ++host) {
        other.hosts[host] = config.hosts[order[host]];
        names.push_back(config.names[order[host]]);
        other.groups[host] = config.groups[order[host]];
    }
    other.names = HostNames::of_network(std::move(names));
    for (LinkConfig& link : other.links) link.between[0].index = number_of(link.between[0].index);
    for (TrafficConfig& item : other.traffic) {
        for (unsigned& host : item.from) host = number_of(host);
        for (unsigned& host : item.to) host = number_of(host);
    }
    return other;
}

TEST_CASE("the numbers of hosts mean nothing, whatever their personalities", "[network]") {
    const RunConfig config = two_kinds();
    const Outcome as_written = apart([&] { return simulate(config); });
    REQUIRE(as_written.completed == 205);  // 5 transfers, 200 frames
    for (const std::vector<unsigned>& order :
         {std::vector{2U, 3U, 0U, 1U}, std::vector{2U, 1U, 3U, 0U}, std::vector{1U, 2U, 0U, 3U}}) {
        const Outcome other = apart([&] { return simulate(in_order(config, order)); });
        CHECK(other.completed == 205);
        CHECK(other.fingerprint == as_written.fingerprint);
    }
}

}  // namespace
}  // namespace rnicsim
