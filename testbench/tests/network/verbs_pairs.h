// SPDX-License-Identifier: Apache-2.0
// Two hosts with RoCEv2 RNICs and a link between them.
#pragma once

#include "testbench/tests/scenario/scenario_file.h"

#include <string>

namespace rnicsim {

/// `item`: keys of their messages.
inline RunConfig pair_of(const std::string& item, const std::string& rnic = "personality: rc",
                         const std::string& link = "") {
    const std::string text = "system:\n  rnic: {" + rnic + "}\n  hosts: {a: {}, b: {}}\n  links: [{between: [a, b]" +
                             (link.empty() ? "" : ", " + link) + "}]\nrun:\n  traffic: [{from: a, to: b, " + item +
                             "}]\n";
    return run_config(ScenarioFile(text).load(), 0, 0, 0);
}

}  // namespace rnicsim
