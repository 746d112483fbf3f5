// SPDX-License-Identifier: Apache-2.0
// Traditional RNICs beside dynamic ones in one network (PROTOCOL.md 1.8).
#include "testbench/tests/network/star.h"

#include "model/system.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <vector>

namespace rnicsim {
namespace {

/// Client 1 writes to the server, or reads. Registrations fail now and then at both.
RunConfig writer_and_server(Method client, Method server, OperationMix operation = OperationMix::write) {
    RunConfig config = star(1, 8'192, 60);
    drp_of(config, 0).rnic.transport.method = server;
    drp_of(config, 1).rnic.transport.method = client;
    for (DrpEndConfig& end : drp_ends(config)) end.host.registration.failure = 0.4;
    config.traffic.front().operation = operation;
    return config;
}

bool all_sixty(const RunResult& result) {
    return result.samples.size() == 60 &&
           std::ranges::none_of(result.samples, [](const Sample& t) { return t.failed(); });
}

TEST_CASE("a traditional responder drops what a dynamic initiator sends early, and all completes", "[network]") {
    const RunResult result = simulate(writer_and_server(Method::dynamic, Method::traditional));
    CHECK(all_sixty(result));
    CHECK(counter(result, "client.transport.went_indirect") > 10);
    CHECK(counter(result, "client.transport.resumed") > 10);
    CHECK(counter(result, "server.transport.no_region") > 10);
    CHECK(counter(result, "server.transport.kept_indirect") == 0);
}

TEST_CASE("the host of a dynamic responder tells a traditional initiator by itself", "[network]") {
    const auto with = [](Method server) {
        return apart([&] { return simulate(writer_and_server(Method::traditional, server)); });
    };
    const Outcome mixed = with(Method::dynamic), old = with(Method::traditional);
    CHECK(mixed.completed == 60);
    CHECK(old.completed == 60);
    CHECK(mixed.indirect == 0);
    // A refusal costs a retry after 0.9 ms in place of the rest of a request timer of 2.4 ms.
    CHECK(mixed.cycles < old.cycles * 7 / 10);
}

TEST_CASE("of a read the responder's method counts, where nothing is refused", "[network]") {
    for (const Method server : {Method::traditional, Method::dynamic}) {
        const auto with = [&](Method client) {
            return apart([&] {
                RunConfig config = writer_and_server(client, server, OperationMix::read);
                for (DrpEndConfig& end : drp_ends(config)) end.host.registration.failure = 0;
                for (LinkConfig& link : config.links) link.loss = 0.05;
                return simulate(config);
            });
        };
        const Outcome one = with(Method::traditional), other = with(Method::dynamic);
        CHECK(one.completed == 60);
        CHECK(one.fingerprint == other.fingerprint);
    }
}

TEST_CASE("both methods in one network, under all faults, in either order of building", "[network]") {
    RunConfig config = star(6, 40'000, 8);
    for (unsigned host = 0; host < config.hosts.size(); ++host) {
        drp_of(config, host).rnic.transport.method = host % 2 == 0 ? Method::dynamic : Method::traditional;
        drp_of(config, host).host.registration.failure = 0.3;
    }
    config.traffic[0].from = config.traffic[0].to = {0, 1, 2, 3, 4, 5, 6};
    config.traffic[0].operation = OperationMix::alternate;
    for (LinkConfig& link : config.links) {
        link.loss = 0.02;
        link.duplication = 0.02;
        link.reordering = 0.02;
        link.corruption = 0.01;
        link.lateness = kMicrosecond * 20;
    }
    const auto one = apart([&] { return simulate_in_order(config, BuildOrder::hosts_first); });
    const auto other = apart([&] { return simulate_in_order(config, BuildOrder::links_first); });
    CHECK(one.ran);
    CHECK(one.completed == 56);
    CHECK(one.fingerprint == other.fingerprint);
}

}  // namespace
}  // namespace rnicsim
