// SPDX-License-Identifier: Apache-2.0
// What is built: the hierarchy reads as the block diagram, and the order of building changes nothing.
#include "model/faults/random_faults.h"
#include "model/rnic/drp/end/end_config.h"
#include "model/system.h"
#include "testbench/kits/kits.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/default_config.h"

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>

namespace rnicsim {
namespace {

void collect(const std::vector<sc_core::sc_object*>& objects, std::set<std::string>& names) {
    for (const sc_core::sc_object* object : objects) {
        if (std::string(object->kind()) != "sc_module") continue;
        names.insert(object->name());
        collect(object->get_child_objects(), names);
    }
}

TEST_CASE("the elaborated hierarchy is the block diagram", "[smoke]") {
    RandomFaults faults(fault_config(default_config()));
    const KitEnds ends({1 << 23, 1 << 23});
    const System system("system", default_config(), ends, faults, nullptr);
    std::set<std::string> names;
    collect(sc_core::sc_get_top_level_objects(), names);
    std::set<std::string> expected{"system", "system.link", "system.link.forth", "system.link.back"};
    for (const std::string end : {"system.a", "system.b"}) {
        expected.insert(end);
        for (const std::string part :
             {"host", "host.memory", "host.root_complex", "host.root_complex.card", "host.processor", "rnic",
              "rnic.pcie", "rnic.gmac", "rnic.frame_filter", "rnic.host_interface", "rnic.transport"}) {
            expected.insert(end + '.' + part);
        }
    }
    CHECK(names == expected);
}

TEST_CASE("the order of building changes nothing", "[smoke]") {
    RunConfig config = default_config();
    config.links[0].loss = 0.08;
    for (DrpEndConfig& end : drp_ends(config)) {
        end.host.registration.failure = 0.2;
        end.host.ping = {{64, 700}, Cycle{20'000}};
    }
    config.traffic = {traffic_of_two(OperationMix::alternate, Direction::both, 20'000, 150, 4)};
    const Outcome one = apart([&] { return simulate_in_order(config, BuildOrder::hosts_first); });
    const Outcome other = apart([&] { return simulate_in_order(config, BuildOrder::links_first); });
    REQUIRE(one.ran);
    REQUIRE(other.ran);
    CHECK(one.fingerprint == other.fingerprint);
}

}  // namespace
}  // namespace rnicsim
