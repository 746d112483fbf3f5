// Finished runs on disk, one file each: an interrupted sweep goes on where it stopped.
#pragma once

#include "testbench/run_result.h"
#include "testbench/scenario/scenario.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim::runner {

/// One run of a scenario.
struct RunKey {
    std::size_t point = 0;
    Method method = Method::dynamic;
    std::uint32_t repetition = 0;
};

/// Every run that the scenario asks for, in the order of the results: point, method, repetition.
std::vector<RunKey> all_runs(const Scenario& scenario);

/// "p003_dynamic_r2": for people.
std::string run_label(const RunKey& key);

/// Hash of all that determines the result of a run: resolved scenario, axis values, seed, method, repetition, program.
std::string run_identity(const Scenario& scenario, const RunKey& key);

/// The files OUT/runs/<label>_<identity>.json: a line of JSON, then a line with its hash as end marker.
class Journal {
  public:
    /// Throws OutputError if the folder cannot be created.
    Journal(const Scenario& scenario, const std::filesystem::path& out);

    std::filesystem::path file(const RunKey& key) const;

    /// The finished run, or nothing if there is none. A damaged file is reported as a warning and counts as none.
    std::optional<RunResult> read(const RunKey& key) const;

    void write(const RunKey& key, const RunResult& result) const;

    /// Forgets every finished run (--fresh).
    void clear() const;

  private:
    const Scenario& scenario_;
    std::filesystem::path folder_;
};

}  // namespace rnicsim::runner
