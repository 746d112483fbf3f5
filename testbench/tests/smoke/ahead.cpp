// SPDX-License-Identifier: Apache-2.0
// Modules that act ahead of the kernel's time change nothing: a run in which they may, and the same run with somebody
// who wants its events in order, in which they may not, give the same transfers, times, parts and counters.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/events/event_log.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/default_config.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>

namespace rnicsim {
namespace {

class Nobody : public EventSink {
    void event(const LoggedEvent& /*event*/, std::span<const std::uint8_t> /*frame*/) override {}
};

/// All that a run yields, but for its cost, where fingerprint_of() sees it.
RunResult everything(RunResult result) {
    std::vector<std::uint64_t> values{result.data_frames, static_cast<std::uint64_t>(result.simulated.ps)};
    for (const Sample& t : result.samples) {
        for (const std::int64_t part : t.parts) values.push_back(static_cast<std::uint64_t>(part));
    }
    for (const auto& [name, value] : result.counters) values.push_back(value);
    for (const std::uint64_t value : values) {
        Sample record;
        record.start = Time{static_cast<std::int64_t>(value)};
        result.samples.push_back(record);
    }
    return result;
}

/// A setting drawn by `seed`: two busy ends, faults of each kind, short and long ways.
RunConfig drawn(unsigned seed) {
    std::mt19937 draws(seed);
    const auto one_of = [&draws](auto... values) {
        const std::array all{values...};
        return all.at(draws() % all.size());
    };
    RunConfig config = default_config();
    config.seed = seed;
    config.links[0].delay = cycles(one_of(0, 5, 60, 5000));
    config.links[0].loss = one_of(0.0, 0.0, 0.01, 0.1);
    config.links[0].corruption = one_of(0.0, 0.0, 0.02);
    config.links[0].delay_variation = one_of(0.0, 0.0, 0.3);
    config.links[0].jitter = cycles(one_of(1, 700, 30'000));
    config.links[0].duplication = one_of(0.0, 0.0, 0.0, 0.05);
    config.links[0].reordering = one_of(0.0, 0.0, 0.0, 0.05);
    config.links[0].lateness = cycles(one_of(100, 20'000));
    TrafficConfig& item = config.traffic[0];
    item.operation = one_of(OperationMix::write, OperationMix::read, OperationMix::alternate);
    item.between_two(one_of(Direction::a_to_b, Direction::b_to_a, Direction::both));
    item.size = one_of(1U, 900U, 5000U, 40'000U, 131'072U);
    item.transfers = one_of(3U, 12U);
    item.in_flight = one_of(1U, 2U, 5U);
    const Method method = one_of(Method::traditional, Method::dynamic, Method::dynamic);
    for (DrpEndConfig& end : drp_ends(config)) {
        end.rnic.pcie.generation = one_of(1U, 2U, 3U);
        end.rnic.pcie.lanes = one_of(1U, 1U, 8U);
        end.rnic.pcie.latency = Cycle{one_of(1, 2, 9, 19, 71, 400)};
        end.rnic.pcie.request_overhead = Cycle{one_of(0, 1, 10, 200)};
        end.rnic.pcie.tags = one_of(1U, 4U, 32U);
        end.rnic.gmac.tx_latency = Cycle{one_of(1, 4, 60)};
        end.rnic.gmac.rx_latency = Cycle{one_of(0, 2, 90)};
        end.rnic.queues.latency = Cycle{one_of(1, 4, 50)};
        end.rnic.transport.method = method;
        end.rnic.transport.window = one_of(1U, 8U);
        end.rnic.transport.indirect_buffer = one_of(0U, 8U * 1024, 48U * 1024);
        end.rnic.transport.tx_buffer = one_of(2U, 22U) * 1024;
        end.rnic.transport.rx_buffer = one_of(4U, 40U) * 1024;
        end.rnic.transport.bulk_drain = one_of(true, false);
        end.host.registration.failure = one_of(0.0, 0.3);
        end.host.software.event_cost = Cycle{one_of(1, 50, 700)};
        end.host.software.interrupt_latency = Cycle{one_of(1, 250)};
        if (one_of(0, 1) == 1) end.host.ping = {{64, 1000}, Cycle{30'000}};
        if (one_of(0, 0, 1) == 1) end.host.bridge = {133'000'000, Cycle{20}};
    }
    return config;
}

/// Runs it both ways and compares. Did it come to its end?
bool same_both_ways(const RunConfig& config) {
    const Outcome ahead = apart([&config] { return everything(simulate(config)); });
    const Outcome in_order = apart([&config] {
        Nobody nobody;
        return everything(simulate_recorded(config, nobody));
    });
    CHECK(ahead.ran == in_order.ran);
    CHECK(ahead.fingerprint == in_order.fingerprint);
    return ahead.ran;
}

TEST_CASE("what is done ahead of the kernel's time is what is done in its time", "[smoke]") {
    constexpr unsigned kSettings = 60;
    unsigned ended = 0;
    for (unsigned seed = 1; seed <= kSettings; ++seed) {
        INFO("setting " << seed);
        ended += same_both_ways(drawn(seed)) ? 1 : 0;
    }
    CHECK(ended > kSettings / 2);
}

TEST_CASE("nothing is done ahead where frames overtake one another", "[smoke]") {
    RunConfig config = default_config();
    config.links[0].reordering = 0.2;
    config.links[0].duplication = 0.1;
    config.links[0].lateness = cycles(10);
    config.traffic = {traffic_of_two(OperationMix::read, Direction::both, 900, 12, 2)};
    for (DrpEndConfig& end : drp_ends(config)) {
        end.rnic.pcie.generation = 3;
        end.rnic.pcie.lanes = 8;
        end.rnic.pcie.latency = Cycle{70};
    }
    for (config.seed = 1; config.seed <= 20; ++config.seed) {
        INFO("seed " << config.seed);
        CHECK(same_both_ways(config));
    }
}

}  // namespace
}  // namespace rnicsim
