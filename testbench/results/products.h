// SPDX-License-Identifier: Apache-2.0
// The files of a complete sweep, made from its journal: the same whoever simulated the runs, when, and where.
#pragma once

#include "testbench/results/exit_code.h"
#include "testbench/results/false_persistence.h"
#include "testbench/results/hopeless.h"
#include "testbench/results/journal.h"
#include "testbench/results/manifest.h"
#include "testbench/results/summary.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rnicsim::runner {

struct ProductOptions {
    std::filesystem::path out;
    std::vector<Override> overrides;  ///< for the manifest
    bool transfers_csv = false;
    bool quiet = false;
    bool plot = true;
};

/// Removes what an earlier call left, so that a summary in the folder is always that of its newest complete run.
/// Throws OutputError.
void set_products_aside(const std::filesystem::path& out);

struct Products {
    Summary summary;
    std::vector<HopelessRun> hopeless;
    std::vector<FalseRun> told_too_much;
};

/// Everything is in the journal: reads it in the order of the results and writes the files. Throws OutputError.
Products write_products(const Scenario& scenario, const ProductOptions& options, const Journal& journal,
                        const CallInfo& call);

/// Draws the plot and prints the table, unless the options say otherwise; `cost` is the last line. Prints why a run
/// completed no transfer, if one did not; the exit code shows that.
ExitCode show_products(const Scenario& scenario, const ProductOptions& options, const Products& products,
                       const std::string& cost);

}  // namespace rnicsim::runner
