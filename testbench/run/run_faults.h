// SPDX-License-Identifier: Apache-2.0
// Where the faults of a run come from: its tape, or its probabilities. And the tape of what went wrong, where one is
// asked for.
#pragma once

#include "model/faults/tape.h"
#include "testbench/records/run_request.h"

#include <cstdint>
#include <exception>
#include <memory>

namespace rnicsim {

class RunFaults {
  public:
    /// `request` has to outlive it.
    explicit RunFaults(const RunRequest& request);

    [[nodiscard]] FaultSource& source() { return is_recorded() ? recorder_ : *source_; }
    [[nodiscard]] bool is_recorded() const { return !request_.observe.tape.empty(); }
    /// The run is over: writes the tape, if one is asked for, or else an empty file, which is no tape: half a tape
    /// would be a different one. Throws RunError.
    void finish() const;
    /// The same after a failure of the run. If the tape cannot be written, throws RunError with both, the failure
    /// first.
    void finish_after(const std::exception& failure) const;
    /// Faults of the tape that was played that have not happened.
    [[nodiscard]] std::uint64_t unused() const;

  private:
    const RunRequest& request_;
    std::unique_ptr<FaultSource> source_;
    FaultRecorder recorder_;
};

}  // namespace rnicsim
