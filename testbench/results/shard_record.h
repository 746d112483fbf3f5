// SPDX-License-Identifier: Apache-2.0
// What a shard leaves beside its runs: which sweep it is a share of, and what it cost. Merging reads these records to
// refuse shards of anything else in plain words, and to say which shards are not finished.
#pragma once

#include "testbench/results/machine.h"
#include "testbench/results/shard.h"
#include "testbench/scenario/scenario.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rnicsim::runner {

struct ShardRecord {
    Shard shard;
    std::string identity;  ///< sweep_identity()
    std::string source_hash;
    std::string resolved;  ///< Scenario::resolved
    std::string profiles;  ///< profiles_listing()
    Machine machine;
    unsigned jobs = 0;
    double wall_seconds = 0;  ///< of all calls that simulated it, except killed ones
};

/// Hash of all that determines the results of a sweep: resolved scenario, profiles, axes, seed, program.
std::string sweep_identity(const Scenario& scenario);

/// The record of a shard that this program simulates, without cost.
ShardRecord make_record(const Scenario& scenario, const Shard& shard, unsigned jobs);

/// OUT/shards/2_of_4_<identity>.json: shards of several sweeps do not overwrite each other's.
std::filesystem::path record_file(const std::filesystem::path& out, const ShardRecord& record);

/// Into a folder that an OutputFolder of this shard has made. Throws OutputError.
void write_record(const std::filesystem::path& out, const ShardRecord& record);

/// All records of a folder, in the order of their shards. A damaged one is reported as a warning and left out.
std::vector<ShardRecord> read_records(const std::filesystem::path& out);

/// What makes the record another sweep's than the scenario's, "'simulation.seed: 7', expected 'simulation.seed: 1'";
/// empty if nothing does.
std::string difference(const ShardRecord& record, const Scenario& scenario);

}  // namespace rnicsim::runner
