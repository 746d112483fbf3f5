// SPDX-License-Identifier: Apache-2.0
// Theory and simulation agree where a mean is known from the constants alone. Each test checks that the theory lies
// within four standard errors of the mean; by chance one in 16,000 does not.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/theory/expectation.h"

#include "testbench/records/run_result.h"
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/default_config.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

namespace rnicsim {
namespace {

constexpr double kStandardErrors = 4;

struct Spread {
    double mean = 0;
    double standard_error = 0;
};

template <typename Value>
Spread sample(const RunResult& result, Value value) {
    double sum = 0;
    double squares = 0;
    for (const Sample& t : result.samples) {
        REQUIRE_FALSE(t.failed());
        const auto v = static_cast<double>(value(t));
        sum += v;
        squares += v * v;
    }
    const auto n = static_cast<double>(result.samples.size());
    return {sum / n, std::sqrt((squares / n - sum / n * sum / n) / (n - 1))};
}

RunConfig faulty(Method method, double refused, double lost, std::uint32_t transfers, std::uint32_t window = 8) {
    RunConfig config = default_config();
    config.traffic[0].transfers = transfers;
    config.links[0].loss = lost;
    for (DrpEndConfig& end : drp_ends(config)) {
        end.rnic.transport.method = method;
        end.rnic.transport.window = window;
        end.host.registration.failure = refused;
    }
    return config;
}

void check(const Spread& simulated, double expected) {
    INFO("simulated " << simulated.mean << " +- " << simulated.standard_error << ", expected " << expected);
    CHECK(std::abs(simulated.mean - expected) <= kStandardErrors * simulated.standard_error);
}

void check_set_up(const RunConfig& config) {
    const Expectation expected = expectation(config);
    REQUIRE(expected.set_up);
    const auto set_up = [](const Sample& t) { return in_cycles(Time{t.parts[0] + t.parts[1]}); };
    check(sample(simulate(config), set_up), *expected.set_up);
}

void check_transfer(const RunConfig& config) {
    const Expectation expected = expectation(config);
    REQUIRE(expected.transfer);
    check(sample(simulate(config), [](const Sample& t) { return in_cycles(t.took()); }), *expected.transfer);
}

TEST_CASE("theory: traditional, failed registrations: the transfer", "[theory]") {
    check_transfer(faulty(Method::traditional, 0.1, 0, 4000));
}
TEST_CASE("theory: traditional, half of the registrations fail: the transfer", "[theory]") {
    check_transfer(faulty(Method::traditional, 0.5, 0, 4000));
}
TEST_CASE("theory: traditional, both faults: the set-up", "[theory]") {
    check_set_up(faulty(Method::traditional, 0.1, 0.1, 4000));
}
TEST_CASE("theory: traditional, lost frames: the set-up", "[theory]") {
    check_set_up(faulty(Method::traditional, 0, 0.05, 4000));
}
TEST_CASE("theory: dynamic, lost frames: the set-up", "[theory]") {
    check_set_up(faulty(Method::dynamic, 0, 0.1, 4000));
}
TEST_CASE("theory: dynamic, indirect on the third expiry: the set-up", "[theory]") {
    RunConfig config = faulty(Method::dynamic, 0, 0.2, 4000);
    for (DrpEndConfig& end : drp_ends(config)) end.rnic.transport.indirect_after_timeouts = 3;
    check_set_up(config);
}
TEST_CASE("theory: dynamic, indirect on the last expiry that there may be: as if on none, at once", "[theory]") {
    RunConfig config = faulty(Method::dynamic, 0, 0.2, 1);
    const auto set_up = [&config](std::uint32_t limit) {
        for (DrpEndConfig& end : drp_ends(config)) end.rnic.transport.indirect_after_timeouts = limit;
        return expectation(config).set_up.value();
    };
    CHECK(set_up(65'535) == Catch::Approx(set_up(60)).epsilon(1e-9));
    CHECK(set_up(65'535) > set_up(3));
    // No expiry makes it indirect: theory has no value.
    for (DrpEndConfig& end : drp_ends(config)) end.rnic.transport.mode_choice = &mode_choice("on_refusal");
    CHECK_FALSE(expectation(config).set_up);
}
TEST_CASE("theory: window of one, lost frames: the transfer", "[theory]") {
    RunConfig config = faulty(Method::traditional, 0.1, 0.1, 3000, 1);
    config.traffic[0].size = 16'000;  // the last frame is shorter
    check_transfer(config);
}

TEST_CASE("theory: dynamic, failed registrations only: data may go after the first answer, always", "[theory]") {
    const RunConfig config = faulty(Method::dynamic, 0.5, 0, 50);
    const Expectation expected = expectation(config);
    CHECK_FALSE(expected.transfer);
    REQUIRE(expected.set_up);
    for (const Sample& t : simulate(config).samples) {
        CHECK(static_cast<double>(in_cycles(Time{t.parts[0] + t.parts[1]})) == *expected.set_up);
    }
}

TEST_CASE("theory: window of one without faults, to the cycle", "[theory]") {
    RunConfig config = faulty(Method::traditional, 0, 0, 1, 1);
    config.traffic[0].size = 20'001;
    const Sample t = simulate(config).samples.at(0);
    CHECK(static_cast<double>(in_cycles(t.took())) == *expectation(config).transfer);
}

TEST_CASE("theory: without faults both methods have the closed form's time", "[theory]") {
    for (const Method method : {Method::traditional, Method::dynamic}) {
        const Expectation expected = expectation(faulty(method, 0, 0, 1));
        CHECK(expected.transfer.value() == 144'456);  // fixed, so that a change of any constant is seen here
    }
}

TEST_CASE("theory: no value where none is derived", "[theory]") {
    CHECK_FALSE(expectation(faulty(Method::dynamic, 0.1, 0.1, 1)).set_up);
    CHECK_FALSE(expectation(faulty(Method::traditional, 0.1, 0.1, 1)).transfer);
    RunConfig several = faulty(Method::traditional, 0, 0, 1);
    several.traffic[0].in_flight = 2;
    CHECK_FALSE(expectation(several).transfer);
    RunConfig pings = faulty(Method::traditional, 0, 0, 1);
    drp_of(pings, 0).host.ping = {{64}, Cycle{1000}};
    CHECK_FALSE(expectation(pings).transfer);
    RunConfig slow = faulty(Method::traditional, 0, 0, 1);
    for (DrpEndConfig& end : drp_ends(slow)) end.rnic.pcie.request_overhead = Cycle{2000};
    CHECK_FALSE(expectation(slow).transfer);
}

}  // namespace
}  // namespace rnicsim
