// SPDX-License-Identifier: Apache-2.0
// summary.csv and transfers.csv: the columns are described in results/README.md.
#pragma once

#include "testbench/results/columns.h"
#include "testbench/results/summary.h"

#include <functional>
#include <string>
#include <string_view>

namespace rnicsim::runner {

/// A row per point, item of traffic and variant. Holds no wall time: the same scenario and seed give the same bytes.
std::string summary_csv(const Scenario& scenario, const Summary& summary);

/// Throws ScenarioError if an axis has the name of one of the other columns.
void check_axis_names(const Scenario& scenario);

std::string transfers_csv_header(const Scenario& scenario, const Scope& scope);

/// `scope`: that of the scenario, which takes a while to find. A row per transfer of one run, with its line end, goes
/// to `write`.
void write_transfers_csv(const Scenario& scenario, const Scope& scope, const RunKey& key, const RunResult& result,
                         const std::function<void(std::string_view row)>& write);

}  // namespace rnicsim::runner
