// SPDX-License-Identifier: Apache-2.0
// The whole system with a switch: exact times, bounds, and the protocol among several ends.
#include "testbench/tests/network/star.h"

#include "model/rnic/drp/end/end_config.h"
#include "model/system.h"
#include "testbench/events/event_log.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"
#include "testbench/tests/support/cycles.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace rnicsim {
namespace {

constexpr std::int64_t kDataFrame = 1'094;  // cycles of the wire with preamble and gap, 1 KiB of payload

std::int64_t last_end(const RunResult& result) {
    std::int64_t last = 0;
    for (const Sample& t : result.samples) last = std::max(last, in_cycles(t.end));
    return last;
}

bool all_completed(const RunResult& result) {
    return !result.samples.empty() && std::ranges::all_of(result.samples, [](const Sample& t) { return !t.failed(); });
}

/// When frames leave an RNIC and reach the host at the other end.
class Passages : public EventSink {
  public:
    void event(const LoggedEvent& event, std::span<const std::uint8_t> /*frame*/) override {
        const auto* const wire = std::get_if<WireFrame>(&event.what);
        if (wire == nullptr) return;
        if (wire->step == WireFrame::Step::sent) sent_[wire->head] = event.at;
        if (wire->step == WireFrame::Step::arrives && wire->next == wire->to) {
            took[wire->bytes].insert(kGmiiClock.cycle(event.at - sent_.at(wire->head)).n);
        }
    }
    std::map<std::uint32_t, std::set<std::int64_t>> took;  // by length, from last byte to last byte, cycles

  private:
    std::map<FrameHead, Time> sent_;
};

TEST_CASE("one client: each frame takes the switch's latency and its own length once more", "[network]") {
    Passages passages;
    CHECK(all_completed(simulate_recorded(star(1, 8'192, 4), passages)));
    // 5 cycles on each link, 250 in the switch, and preamble, SFD and frame at its port: with the first link 2,424 from
    // the first byte of 1,074 to the last.
    CHECK(passages.took ==
          std::map<std::uint32_t, std::set<std::int64_t>>{{64, {5 + 250 + 72 + 5}}, {1'074, {5 + 250 + 1'082 + 5}}});
}

TEST_CASE("each client has its own transfers, though their TIDs are equal", "[network]") {
    const RunResult result = simulate(star(5, 20'000, 6));
    CHECK(all_completed(result));
    REQUIRE(result.samples.size() == 30);
    for (const Sample& t : result.samples) CHECK(t.responder == 0);
    CHECK(counter(result, "server.filter.unknown_source") == 0);
    CHECK(counter(result, "server.transport.completed") == 30);
    CHECK(counter(result, "client.transport.completed") == 30);  // of the group together
    CHECK(counter(result, "s0.server.refused") == 0);
}

TEST_CASE("the same under losses, refusals and copies, for either method and operation", "[network]") {
    for (const Method method : {Method::traditional, Method::dynamic}) {
        for (const OperationMix operation : {OperationMix::write, OperationMix::read, OperationMix::alternate}) {
            RunConfig config = star(6, 40'000, 8);
            for (DrpEndConfig& end : drp_ends(config)) {
                end.rnic.transport.method = method;
                end.host.registration.failure = 0.2;
            }
            for (LinkConfig& link : config.links) {
                link.loss = 0.02;
                link.duplication = 0.02;
                link.reordering = 0.02;
                link.corruption = 0.01;
                link.lateness = kMicrosecond * 20;
            }
            config.traffic[0].operation = operation;
            config.traffic[0].in_flight = 2;
            const Outcome outcome = simulate_apart(config);
            CHECK(outcome.ran);
            CHECK(outcome.completed == 48);
        }
    }
}

TEST_CASE("a frame that a link has damaged is dropped by the switch, not by the host behind it", "[network]") {
    RunConfig config = star(1, 40'000, 8);
    config.links[1].corruption = 0.05;
    const RunResult result = simulate(config);
    CHECK(all_completed(result));
    CHECK(counter(result, "s0.client.dropped_bad_fcs") > 0);
    CHECK(counter(result, "server.gmac.rx_bad_fcs") == 0);
}

TEST_CASE("everybody with everybody: each end is both", "[network]") {
    RunConfig config = star(5, 30'000, 10);
    config.traffic[0].from = config.traffic[0].to = {0, 1, 2, 3, 4, 5};
    config.traffic[0].operation = OperationMix::alternate;
    for (DrpEndConfig& end : drp_ends(config)) end.host.registration.failure = 0.1;
    const RunResult result = simulate(config);
    CHECK(all_completed(result));
    std::set<std::pair<unsigned, unsigned>> pairs;
    for (const Sample& t : result.samples) pairs.emplace(t.initiator, t.responder);
    CHECK(pairs.size() == 30);  // each other one in turn
}

TEST_CASE("a host without transfers, beside those that have some", "[network]") {
    RunConfig config = star(3, 8'192, 2);
    config.traffic[0].from = {1, 2};
    const RunResult result = simulate(config);
    CHECK(all_completed(result));
    CHECK(result.samples.size() == 4);
}

TEST_CASE("patterns of pairs", "[network]") {
    TrafficConfig item;
    item.from = item.to = {0, 1, 2, 3, 4};
    item.pairs = Pairs::ring;
    CHECK(item.responders(4) == std::vector{0U});
    CHECK(item.responders(1) == std::vector{2U});
    item.pairs = Pairs::tree;
    CHECK(item.responders(0).empty());
    CHECK(item.responders(2) == std::vector{0U});
    CHECK(item.responders(4) == std::vector{1U});
    item.pairs = Pairs::all;
    CHECK(item.responders(2) == std::vector{0U, 1U, 3U, 4U});
    item.to = {3, 4};
    item.pairs = Pairs::opposite;
    CHECK(item.responders(0) == std::vector{3U});
    CHECK(item.responders(1) == std::vector{4U});
    item.to = {0};
    CHECK(item.responders(0).empty());  // it would be itself
    CHECK(item.responders(7).empty());
}

TEST_CASE("incast: the server's port is the bound", "[network]") {
    constexpr unsigned kClients = 6;
    const RunResult result = simulate(star(kClients, 128 * 1024, 1));
    CHECK(all_completed(result));
    CHECK(last_end(result) >= std::int64_t{kClients} * 128 * kDataFrame);
    CHECK(last_end(result) < std::int64_t{kClients} * 128 * kDataFrame + 30'000);
}

TEST_CASE("a small buffer drops, and the transfers complete all the same", "[network]") {
    RunConfig config = star(6, 60'000, 5);
    config.switches[0].buffer = 12 * 1024;
    const RunResult result = simulate(config);
    CHECK(all_completed(result));
    const std::uint64_t refused = counter(result, "s0.server.refused");
    CHECK(refused > 0);
    CHECK(counter(result, "s0.client.dropped_threshold") + counter(result, "s0.client.dropped_buffer") +
              counter(result, "s0.server.dropped_threshold") + counter(result, "s0.server.dropped_buffer") >=
          refused);
}

TEST_CASE("the order in which the parts are built changes nothing", "[network]") {
    RunConfig config = star(4, 50'000, 6);
    for (DrpEndConfig& end : drp_ends(config)) end.host.registration.failure = 0.2;
    for (LinkConfig& link : config.links) link.loss = 0.01;
    const auto one = apart([&] { return simulate_in_order(config, BuildOrder::hosts_first); });
    const auto other = apart([&] { return simulate_in_order(config, BuildOrder::links_first); });
    CHECK(one.ran);
    CHECK(one.fingerprint == other.fingerprint);
}

TEST_CASE("what is done ahead changes nothing in a network", "[network]") {
    struct Nobody : EventSink {
        void event(const LoggedEvent& /*event*/, std::span<const std::uint8_t> /*frame*/) override {}
    };
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        RunConfig config =
            star(1 + static_cast<unsigned>(seed) % 5, 20'000 + static_cast<std::uint32_t>(seed) * 777, 6);
        config.seed = seed;
        for (DrpEndConfig& end : drp_ends(config)) end.host.registration.failure = 0.2;
        for (LinkConfig& link : config.links) link.loss = seed % 2 == 0 ? 0.02 : 0;
        config.switches[0].buffer = seed % 3 == 0 ? 9'000 : 128 * 1024;
        const Outcome ahead = simulate_apart(config);
        const Outcome in_step = apart([&] {
            Nobody nobody;  // events need an order: nothing is done ahead
            return simulate_recorded(config, nobody);
        });
        CHECK(ahead.ran);
        CHECK(ahead.fingerprint == in_step.fingerprint);
    }
}

TEST_CASE("another client changes no draw of this one", "[network]") {
    const auto first_client = [](unsigned clients) {
        RunConfig config = star(clients, 4'000, 40);
        config.seed = 5;
        for (DrpEndConfig& end : drp_ends(config)) end.host.registration.failure = 0.3;
        // The others come when the first one is done.
        config.traffic.push_back(config.traffic.front());
        config.traffic[0].from = {1};
        config.traffic[1].from.erase(config.traffic[1].from.begin());
        config.traffic[1].start = Cycle{200'000'000};
        if (clients == 1) config.traffic.pop_back();
        return apart([&] {
            RunResult result = simulate(config);
            Records<Sample> of_first;
            for (const Sample& t : result.samples) {
                if (t.initiator == 1) of_first.push_back(t);
            }
            result.samples = std::move(of_first);
            return result;
        });
    };
    const Outcome alone = first_client(1);
    const Outcome among = first_client(4);
    CHECK(alone.ran);
    CHECK(among.completed == 40);
    CHECK(alone.fingerprint == among.fingerprint);
}

TEST_CASE("two switches, and between them a faster link", "[network]") {
    RunConfig config = star(4, 30'000, 6);
    config.switches.push_back(config.switches.front());
    config.switches[1].name = "s1";
    config.links[0].between[1].index = 1;  // the server is at s1
    LinkConfig uplink = config.links[0];
    uplink.name = uplink.group = "uplink";
    uplink.between = {Node{Node::Kind::network_switch, 0}, Node{Node::Kind::network_switch, 1}};
    uplink.timing = MacTiming::of_rate(10'000'000'000);
    uplink.byte_time = uplink.timing.per_byte;
    uplink.loss = 0.01;
    config.links.push_back(uplink);
    const RunResult result = simulate(config);
    CHECK(all_completed(result));
    CHECK(counter(result, "uplink.s0_to_s1_lost") > 0);
    CHECK(counter(result, "s1.server.out_frames") > 0);
}

TEST_CASE("think, start and stagger", "[network]") {
    RunConfig config = star(3, 1'000, 50);
    config.traffic[0].think = Cycle{125'000};  // 1 ms
    config.traffic[0].start = Cycle{10'000};
    config.traffic[0].stagger = Cycle{5'000};
    const RunResult result = simulate(config);
    CHECK(all_completed(result));
    double pauses = 0;
    int counted = 0;
    for (std::size_t i = 0; i < result.samples.size(); ++i) {
        const Sample& t = result.samples[i];
        if (t.id == 0) {
            CHECK(in_cycles(t.start) == 1 + 10'000 + 5'000 * (t.initiator - 1));
            continue;
        }
        pauses += static_cast<double>(in_cycles(t.start - result.samples[i - 1].end));
        ++counted;
    }
    // Exponential: the deviation of the mean of 147 is its 12th part.
    CHECK(std::abs(pauses / counted - 125'000) < 4 * 125'000 / 12.1);
}

}  // namespace
}  // namespace rnicsim
