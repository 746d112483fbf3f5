// SPDX-License-Identifier: Apache-2.0
// Two hosts, near and target, with a link and a bridge n0 between them, and one item from near to target.
#pragma once

#include "testbench/tape/tape_text.h"
#include "testbench/tests/scenario/scenario_file.h"

#include <memory>
#include <string>

namespace rnicsim {

/// `item`: "application: nts, size: 8 B"; `bridge`: ", rate: 1 Gbps"; `system`: lines of that section; `tape`: lines.
inline RunConfig near_to_target(const std::string& item, const std::string& bridge = {}, const std::string& system = {},
                                const std::string& tape = {}) {
    const std::string text = R"(
system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps, delay: 390.4 ns}
  hosts: {near: {}, target: {}}
  links: [{between: [near, target]}]
  bridges: [{name: n0, between: [near, target])" +
                             bridge + "}]\n" + system + R"(run:
  repetitions: 1
  traffic:
    - {name: all, from: near, to: target, )" +
                             item + "}\n";
    RunConfig config = run_config(ScenarioFile(text).load(), 0, 0, 0);
    if (!tape.empty())
        config.tape =
            std::make_shared<FaultTape>(read_tape("rnicsim fault tape 2\n" + tape + "\n", "tape", TapeNames(config)));
    return config;
}

}  // namespace rnicsim
