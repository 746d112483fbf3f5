// SPDX-License-Identifier: Apache-2.0
// A run, and what somebody wants to see of it beside its result. The system itself knows the run only.
#pragma once

#include "model/config.h"
#include "model/rtl/wave_request.h"
#include "testbench/records/crash_request.h"
#include "testbench/records/cut_request.h"
#include "testbench/records/observe_request.h"

#include <filesystem>
#include <string>

namespace rnicsim {

struct RunRequest : RunConfig {
    RunRequest() = default;
    /// Implicit: most runs are not looked into.
    RunRequest(const RunConfig& run) : RunConfig(run) {}

    WaveRequest wave;
    std::string transactions;  ///< file that gets each frame of blocks with streams (testbench/run/transaction_file.h)
    ObserveRequest observe;
    CutRequest cut;
    CrashRequest crash;
    /// Files that hold the records of the result (testbench/records/record_files.h); empty: memory does.
    std::filesystem::path records;
};

}  // namespace rnicsim
