// SPDX-License-Identifier: Apache-2.0
// Hosts at a switch that loses nothing, each of which asks the next one, or as `pairs` of the item say.
#pragma once

#include "testbench/tests/scenario/scenario_file.h"

#include <fmt/format.h>

#include <string>

namespace rnicsim {

/// `item`: "application: allreduce, transfers: 3"; `system`: more lines of the section, indented by two; `first`: more
/// keys of the first host's link.
inline RunConfig ring_config(unsigned hosts, const std::string& item, const std::string& system = {},
                             const std::string& first = {}) {
    std::string links;
    for (unsigned host = 0; host < hosts; ++host)
        links += fmt::format("{}{{between: [node{}, top]{}}}", host == 0 ? "" : ", ", host, host == 0 ? first : "");
    const std::string text = fmt::format(
        R"(
system:
  rnic: {{profile: cx5_100g}}
  link: {{rate: 100 Gbps, delay: 390.4 ns}}
  hosts: {{node: {{count: {}}}}}
  switches: {{top: {{mtu: 4200 B, buffer: 1 MiB, priorities: 8, pfc: {{classes: [3]}}}}}}
  links: [{}]
{}run:
  repetitions: 1
  traffic:
    - {{name: all, from: node, to: node, {}{}}}
)",
        hosts, links, system, hosts > 2 && item.find("pairs:") == std::string::npos ? "pairs: ring, " : "", item);
    return run_config(ScenarioFile(text).load(), 0, 0, 0);
}

}  // namespace rnicsim
