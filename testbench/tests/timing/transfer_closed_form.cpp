// SPDX-License-Identifier: Apache-2.0
// A loss-free direct transfer takes exactly the sum of its parts.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/default_config.h"
#include "testbench/theory/closed_form.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

std::int64_t simulated(const RunConfig& config) {
    const RunResult result = simulate(config);
    REQUIRE(result.samples.size() == 1);
    REQUIRE_FALSE(result.samples[0].failed());
    return in_cycles(result.samples[0].took());
}

RunConfig sized(std::uint32_t size, std::uint32_t segment, Method method, OperationMix operation) {
    RunConfig config = default_config();
    config.traffic[0].size = size;
    config.traffic[0].operation = operation;
    for (DrpEndConfig& end : drp_ends(config)) {
        end.rnic.transport.segment = segment;
        end.rnic.transport.method = method;
    }
    return config;
}

void check_write(std::uint32_t size, std::uint32_t segment, Method method = Method::dynamic) {
    const RunConfig config = sized(size, segment, method, OperationMix::write);
    CHECK(simulated(config) == ClosedForm(config).write());
}

void check_read(std::uint32_t size, std::uint32_t segment, Method method = Method::dynamic) {
    const RunConfig config = sized(size, segment, method, OperationMix::read);
    CHECK(simulated(config) == ClosedForm(config).read());
}

// One simulation per process, so one per test case.
TEST_CASE("write of 128 KiB, dynamic", "[timing]") { check_write(131'072, 1024); }
TEST_CASE("write of 128 KiB, traditional", "[timing]") { check_write(131'072, 1024, Method::traditional); }
TEST_CASE("write of 1 byte", "[timing]") { check_write(1, 1024); }
TEST_CASE("write of one segment", "[timing]") { check_write(1024, 1024); }
TEST_CASE("write of one segment and a byte", "[timing]") { check_write(1025, 1024); }
TEST_CASE("write in segments of 256", "[timing]") { check_write(10'000, 256); }
TEST_CASE("write in segments of 1408", "[timing]") { check_write(100'001, 1408); }
TEST_CASE("read of 128 KiB, dynamic", "[timing]") { check_read(131'072, 1024); }
TEST_CASE("read of 128 KiB, traditional", "[timing]") { check_read(131'072, 1024, Method::traditional); }
TEST_CASE("read of 1 byte", "[timing]") { check_read(1, 1024); }
TEST_CASE("read of 100,001 bytes", "[timing]") { check_read(100'001, 1024); }

TEST_CASE("the closed form is not blind: a cycle more of a latency is seen", "[timing]") {
    RunConfig config = sized(131'072, 1024, Method::dynamic, OperationMix::write);
    const std::int64_t before = ClosedForm(config).write();
    for (DrpEndConfig& end : drp_ends(config)) end.rnic.filter.latency += Cycle{1};
    // Six frames decide: REQ, REQ_ACK, last data, last ACK, REL, REL_ACK.
    CHECK(simulated(config) == before + 6);
}

}  // namespace
}  // namespace rnicsim
