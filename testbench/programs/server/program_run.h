// SPDX-License-Identifier: Apache-2.0
// A system whose hosts run programs of the machine, with its faults, and who looks inside.
#pragma once

#include "model/rtl/rtl_blocks.h"
#include "model/system.h"
#include "testbench/programs/server/call_observers.h"
#include "testbench/programs/server/cut_request.h"
#include "testbench/programs/server/program_cuts.h"
#include "testbench/programs/server/program_judge.h"
#include "testbench/programs/server/program_recorder.h"
#include "testbench/programs/server/server.h"
#include "testbench/run/run_faults.h"
#include "testbench/run/run_observers.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

namespace rnicsim::programs {

class ProgramRun {
  public:
    /// Of hosts with a RoCEv2 RNIC only. Throws RequestError if a file or the socket cannot be made.
    ProgramRun(const RunRequest& request, const std::filesystem::path& socket, bool strict, const CutRequest& cuts);

    /// Until it is over; then the files are complete. Throws RunError.
    void run(const Outside& outside);
    [[nodiscard]] const Server& server() const { return server_; }
    /// Faults of the tape that was played that have not happened.
    [[nodiscard]] std::uint64_t unused_faults() const { return faults_.unused(); }
    [[nodiscard]] const ProgramJudge& judge() const { return judge_; }
    /// What power cuts would have found, of hosts with persistent memory. Once, when it has run.
    [[nodiscard]] std::vector<ProgramCutReport> cuts() { return cuts_.finish(current_time() + kPicosecond); }

  private:
    const RunRequest request_;
    RunFaults faults_;
    ProgramJudge judge_;
    RunObservers observers_;
    std::optional<ProgramRecorder> recorder_;  // where somebody wants events
    ProgramCuts cuts_;
    CallObservers callers_;
    std::vector<RtlBlocks> blocks_;  // by host
    System system_;
    Server server_;
};

}  // namespace rnicsim::programs
