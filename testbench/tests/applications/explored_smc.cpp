// SPDX-License-Identifier: Apache-2.0
// Do sockets of SMC-R end in every order, with the right bytes and costs, and are their faults found?
#include "testbench/tests/applications/explored.h"

#include "testbench/applications/smc/settings.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace rnicsim;

namespace {

/// With rings so small that states are few.
std::string explored_smc(const applications::SmcSettings& settings, std::vector<std::uint32_t> sizes) {
    RunConfig config = pair_config("application: smc, size: 200 B");
    config.traffic.at(0).settings.set(settings);
    return explored(config, std::move(sizes));
}

}  // namespace

TEST_CASE("SMC-R ends in every order, with room and without, by RDMA and by TCP", "[applications]") {
    CHECK(explored_smc({.rmb = 64, .read = 64}, {20, 70}) == "");
    CHECK(explored_smc({.rmb = 64, .read = 30}, {80}) == "");
    CHECK(explored_smc({.rmb = 64, .read = 30, .refused = true}, {20, 100}) == "");
}
TEST_CASE("SMC-R's faults are found", "[applications]") {
    CHECK_THAT(explored_smc({.rmb = 64, .read = 64, .wait = false, .unsafe = true}, {200}),
               Catch::Matchers::StartsWith("the user finds other bytes"));
    CHECK_THAT(explored_smc({.rmb = 64, .read = 64, .update = false, .unsafe = true}, {200}),
               Catch::Matchers::StartsWith("no way to the end"));
    CHECK(explored_smc({.rmb = 64, .read = 64, .update = false, .unsafe = true}, {60, 60}) == "");
}
