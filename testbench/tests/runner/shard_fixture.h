// SPDX-License-Identifier: Apache-2.0
// Shards of the small scenario, simulated without SystemC, and the comparison of what they leave.
#pragma once

#include "testbench/results/journal.h"
#include "testbench/results/output_folder.h"
#include "testbench/results/shard.h"
#include "testbench/results/shard_record.h"
#include "testbench/sweep/merge.h"
#include "testbench/sweep/sweep.h"
#include "testbench/tests/runner/fixture.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim::runner::test {

using Folders = std::vector<std::filesystem::path>;

inline bool never() { return false; }

inline SweepOptions options(const std::filesystem::path& out, const std::string& shard = {}) {
    SweepOptions options;
    options.out = out;
    options.transfers_csv = true;
    options.quiet = true;
    options.plot = false;
    if (!shard.empty()) options.shard = parse_shard(shard);
    return options;
}

inline ExitCode simulate_shard(const std::filesystem::path& out, const std::string& shard) {
    return run_sweep(small_scenario(), options(out, shard), fake_simulate, never);
}

/// Finished runs in a folder: each has its records beside it, and nothing else is there.
inline std::size_t runs_in(const std::filesystem::path& folder) {
    std::size_t runs = 0, files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        ++files;
        if (entry.path().extension() == ".json") ++runs;
    }
    CHECK(files == 2 * runs);
    return runs;
}

/// The files of a single run in `out`, to compare with.
inline void simulate_whole(const std::filesystem::path& out) {
    REQUIRE(run_sweep(small_scenario(), options(out), fake_simulate, never) == kOk);
}

inline void check_same_results(const std::filesystem::path& one, const std::filesystem::path& other) {
    for (const char* const name : {"summary.csv", "transfers.csv"}) {
        INFO(name);
        CHECK(content(one / name) == content(other / name));
        CHECK(content(one / name).size() > 100);
    }
}

}  // namespace rnicsim::runner::test
