// SPDX-License-Identifier: Apache-2.0
// Finished runs on disk, one file each: an interrupted sweep goes on where it stopped.
#pragma once

#include "testbench/records/run_result.h"
#include "testbench/scenario/scenario.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim::runner {

/// One run of a scenario.
struct RunKey {
    std::size_t point = 0;
    std::size_t variant = 0;
    std::uint32_t repetition = 0;
};

/// Every run that the scenario asks for, in the order of the results: point, variant, repetition.
std::vector<RunKey> all_runs(const Scenario& scenario);

/// "p003_dynamic_r2": for people.
std::string run_label(const Scenario& scenario, const RunKey& key);

/// The run to look at by default: the first of the variant whose gain is told, else the first.
const RunKey& run_to_look_at(const Scenario& scenario, const std::vector<RunKey>& keys);

/// Nothing if none has this label.
std::optional<RunKey> find_run(const Scenario& scenario, const std::vector<RunKey>& keys, const std::string& label);

/// The run of this label; run_to_look_at() if it is empty. Throws ScenarioError that names `option`, where the label is
/// from.
RunKey chosen_run(const Scenario& scenario, const std::string& label, const std::string& option);

/// Hash of all that determines the result of a run: resolved scenario, axis values, seed, variant, repetition, fault
/// tape, program.
std::string run_identity(const Scenario& scenario, const RunKey& key);

/// The files OUT/runs/<label>_<identity>.json: a line of JSON, then a line with its hash as end marker; beside each,
/// with other endings, those of its records (testbench/records/record_files.h).
class Journal {
  public:
    Journal(const Scenario& scenario, const std::filesystem::path& out) : scenario_(scenario), folder_(out / "runs") {}

    const std::filesystem::path& folder() const { return folder_; }

    std::filesystem::path file(const RunKey& key) const;
    /// Where a run that begins may leave its records, so that write() need not copy them: no other process has this
    /// name. Creates the folder if need be. Throws OutputError.
    std::filesystem::path records(const RunKey& key) const;
    /// What runs of processes that are gone have left goes. Precondition: nobody else writes here.
    void clear_unfinished() const;
    /// Of a run that has not finished: what it has left there goes.
    void forget_records(const RunKey& key) const;

    /// The finished run, or nothing if there is none. A damaged file counts as none and is reported as a warning, with
    /// its consequence.
    std::optional<RunResult> read(const RunKey& key,
                                  std::string_view consequence = "this run is simulated again") const;

    /// Creates the folder if need be. Throws OutputError.
    void write(const RunKey& key, const RunResult& result) const;

    /// Takes the file of a run from another folder's journal. Throws OutputError.
    void copy(const RunKey& key, const Journal& other) const;

    /// Forgets every finished run (--fresh).
    void clear() const;
    /// Forgets one of them.
    void remove(const RunKey& key) const;

  private:
    void create_folder() const;

    const Scenario& scenario_;
    std::filesystem::path folder_;
};

}  // namespace rnicsim::runner
