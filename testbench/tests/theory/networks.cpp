// SPDX-License-Identifier: Apache-2.0
// The same theory over switches: exact without faults, and the mean where each link loses frames.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/star.h"
#include "testbench/tests/support/cycles.h"
#include "testbench/theory/closed_form.h"
#include "testbench/theory/expectation.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

namespace rnicsim {
namespace {

/// Server, s0, s1 and a client, with links of 1, `rate` and 1 Gb/s.
RunConfig behind_two_switches(std::uint32_t size, OperationMix operation, std::int64_t rate) {
    RunConfig config = star(1, size, 1);
    config.traffic[0].operation = operation;
    config.switches.push_back(config.switches[0]);
    config.switches[1].name = "s1";
    config.switches[1].latency = Time{701'234};  // no whole cycles
    config.links[1].between[1].index = 1;
    config.links[1].delay = Time{1'000'003};
    LinkConfig& middle = config.links.emplace_back(config.links[0]);
    middle.name = "s0-s1";
    middle.between = {Node{Node::Kind::network_switch, 0}, Node{Node::Kind::network_switch, 1}};
    middle.timing = MacTiming::of_rate(rate);
    middle.byte_time = middle.timing.per_byte;
    return config;
}

void check_exact(const RunConfig& config) {
    const RunResult result = simulate(config);
    REQUIRE(result.samples.size() == 1);
    REQUIRE_FALSE(result.samples[0].failed());
    const Expectation expected = expectation(config);
    REQUIRE(expected.transfer);
    CHECK(static_cast<double>(in_cycles(result.samples[0].took())) == *expected.transfer);
}

constexpr std::int64_t kGbps = 1'000'000'000;

TEST_CASE("theory: a write over a switch, to the cycle", "[theory]") { check_exact(star(1, 131'072, 1)); }
TEST_CASE("theory: a write over two switches and a fast link, to the cycle", "[theory]") {
    check_exact(behind_two_switches(131'072, OperationMix::write, 100 * kGbps));
}
TEST_CASE("theory: a read over two switches, whose last frame is shorter, to the cycle", "[theory]") {
    check_exact(behind_two_switches(100'001, OperationMix::read, 10 * kGbps));
}
TEST_CASE("theory: a short last frame waits at each switch for the one before it, to the cycle", "[theory]") {
    check_exact(behind_two_switches(10'241, OperationMix::write, 1 * kGbps));
}
TEST_CASE("theory: a window of one over two switches, to the cycle", "[theory]") {
    RunConfig config = behind_two_switches(10'241, OperationMix::write, 25 * kGbps);
    for (DrpEndConfig& end : drp_ends(config)) end.rnic.transport.window = 1;
    check_exact(config);
}
TEST_CASE("theory: switches that learn flood the first frames, and it takes no longer", "[theory]") {
    RunConfig config = behind_two_switches(20'000, OperationMix::write, 10 * kGbps);
    for (SwitchConfig& of : config.switches) of.learning = true;
    check_exact(config);
}

TEST_CASE("theory: each of three links loses and damages frames: the transfer", "[theory]") {
    constexpr double kStandardErrors = 4;
    RunConfig config = behind_two_switches(16'000, OperationMix::write, 10 * kGbps);
    config.traffic[0].transfers = 3000;
    for (LinkConfig& link : config.links) {
        link.loss = 0.03;
        link.corruption = 0.02;
    }
    for (DrpEndConfig& end : drp_ends(config)) {
        end.rnic.transport.method = Method::traditional;
        end.rnic.transport.window = 1;
        end.host.registration.failure = 0.1;
    }
    const Expectation expected = expectation(config);
    REQUIRE(expected.transfer);
    const RunResult result = simulate(config);
    double sum = 0;
    double squares = 0;
    for (const Sample& t : result.samples) {
        REQUIRE_FALSE(t.failed());
        const auto time = static_cast<double>(in_cycles(t.took()));
        sum += time;
        squares += time * time;
    }
    const auto n = static_cast<double>(result.samples.size());
    const double error = std::sqrt((squares / n - sum / n * sum / n) / (n - 1));
    INFO("simulated " << sum / n << " +- " << error << ", expected " << *expected.transfer);
    CHECK(std::abs(sum / n - *expected.transfer) <= kStandardErrors * error);
}

TEST_CASE("theory: of a network no value where none is derived", "[theory]") {
    const RunConfig base = star(1, 131'072, 1);
    REQUIRE(expectation(base).transfer);
    const auto none = [&](const auto& change) {
        RunConfig config = base;
        change(config);
        return !expectation(config).transfer;
    };
    CHECK(none([](RunConfig& c) { c = star(2, 131'072, 1); }));
    CHECK(none([](RunConfig& c) { c.traffic.push_back(c.traffic[0]); }));
    CHECK(none([](RunConfig& c) { c.switches[0].mode = SwitchMode::cut_through; }));
    CHECK(none([](RunConfig& c) { c.switches[0].pfc.classes = 1; }));
    CHECK(none([](RunConfig& c) { c.switches[0].mtu = 1000; }));
    CHECK(none([](RunConfig& c) { c.switches[0].buffer = 12'000; }));  // a window of eight does not fit in half of it
    CHECK(none([](RunConfig& c) { c.links[0].delay_variation = 0.1; }));
    CHECK(none([](RunConfig& c) { c.links[0].duplication = 0.1; }));
    CHECK(none([](RunConfig& c) { c.links[0].reordering = 0.1; }));
    CHECK(none([](RunConfig& c) { c.links[0].down.probability = 0.1; }));
    CHECK(none([](RunConfig& c) { c.links[0].loss_process = "gilbert_elliott"; }));
    CHECK(none([](RunConfig& c) { c.tape = std::make_shared<const FaultTape>(); }));
    CHECK(none([](RunConfig& c) { drp_of(c, 0).rnic.pcie.lanes = 4; }));
}

}  // namespace
}  // namespace rnicsim
