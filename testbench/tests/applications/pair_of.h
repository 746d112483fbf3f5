// SPDX-License-Identifier: Apache-2.0
// Two hosts, and items of an application between them.
#pragma once

#include "testbench/tests/scenario/scenario_file.h"

#include <string>

namespace rnicsim {

/// `item`: "application: echo, transfers: 20"; `system`: more lines of the section, indented by two.
inline std::string pair_text(const std::string& item, const std::string& system = {}) {
    return R"(
system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps, delay: 390.4 ns}
  hosts: {client: {}, server: {}}
  links: [{between: [client, server]}]
)" + system +
           R"(run:
  repetitions: 1
  traffic:
    - {name: all, from: client, to: server, )" +
           item + "}\n";
}

inline RunConfig pair_config(const std::string& item, const std::string& system = {}) {
    return run_config(ScenarioFile(pair_text(item, system)).load(), 0, 0, 0);
}

}  // namespace rnicsim
