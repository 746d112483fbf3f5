// SPDX-License-Identifier: Apache-2.0
// Hosts at a switch that loses nothing, each of which asks the next one.
#pragma once

#include "testbench/tests/scenario/scenario_file.h"

#include <fmt/format.h>

#include <string>

namespace rnicsim {

/// `item`: "application: allreduce, transfers: 3"; `system`: more lines of the section, indented by two.
inline RunConfig ring_config(unsigned hosts, const std::string& item, const std::string& system = {}) {
    const std::string text = fmt::format(
        R"(
system:
  rnic: {{profile: cx5_100g}}
  link: {{rate: 100 Gbps, delay: 390.4 ns}}
  hosts: {{node: {{count: {}}}}}
  switches: {{top: {{mtu: 4200 B, buffer: 1 MiB, priorities: 8, pfc: {{classes: [3]}}}}}}
  links: [{{between: [node, top], name: leaf}}]
{}run:
  repetitions: 1
  traffic:
    - {{name: all, from: node, to: node, {}{}}}
)",
        hosts, system, hosts > 2 ? "pairs: ring, " : "", item);
    return run_config(ScenarioFile(text).load(), 0, 0, 0);
}

}  // namespace rnicsim
