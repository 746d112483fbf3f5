// SPDX-License-Identifier: Apache-2.0
// The list of counters in model/rnic/rc/README.md has those of a run, and no others.
#include "testbench/records/run_result.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/scenario/scenario_file.h"

#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace rnicsim {
namespace {

/// The names between backquotes before the colon of each item of the list below this heading.
std::set<std::string> listed() {
    std::ifstream page(std::string(RNICSIM_SOURCE_DIR) + "/model/rnic/rc/README.md");
    std::set<std::string> names;
    bool here = false;
    bool before_colon = false;  // an item's names may take several lines
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("## ")) here = line == "## Counters";
        if (!here) continue;
        if (line.starts_with("- `")) before_colon = true;
        if (!before_colon) continue;
        const std::size_t colon = line.find("`:");
        std::istringstream column(line.substr(0, colon));
        for (std::string text, name; std::getline(column, text, '`') && std::getline(column, name, '`');)
            names.insert(name);
        before_colon = colon == std::string::npos;
    }
    return names;
}

TEST_CASE("the counters of a RoCEv2 RNIC are those of its page", "[network]") {
    // All that makes a card count more: congestion control, unreliable QPs, a limit; on hosts of their own a scheme by
    // the processor.
    const std::string text =
        "system:\n  rnic: {personality: rc, rc: {congestion: dcqcn}}\n  link: {ecn_marking: 1 %}\n"
        "  host: {verbs: {receive_queues: shared, shared_receives: 64, srq_limit: 1}}\n"
        "  hosts: {a: {}, b: {}, c: {host: {verbs: {receive_queues: own, srq_limit: 0}}},\n"
        "          d: {host: {verbs: {receive_queues: own, srq_limit: 0}}}}\n"
        "  links: [{between: [a, b]}, {between: [c, d]}]\nrun:\n  transfers: 2\n"
        "  traffic: [{from: a, to: b, operation: send, size: 8 B}, {from: a, to: b, service: uc, size: 8 B},\n"
        "            {from: c, to: d, scheme: fig11}]\n";
    const RunResult result = simulate(run_config(ScenarioFile(text).load(), 0, 0, 0));
    std::set<std::string> counted;
    for (const auto& [name, value] : result.counters)
        if (name.starts_with("a.rc.") || name.starts_with("c.rc.")) counted.insert(name.substr(5));
    CHECK(counted.size() > 40);
    CHECK(counted == listed());
}

}  // namespace
}  // namespace rnicsim
