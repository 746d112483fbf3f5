// SPDX-License-Identifier: Apache-2.0
// The texts of --wave and its options, and of those that look inside a run.
#pragma once

#include "model/rtl/wave_request.h"
#include "testbench/records/observe_request.h"

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim::runner {

struct WaveOptions {
    std::string file;
    std::vector<std::string> blocks;
    std::string window;
    std::string run;  ///< label; empty = run_to_look_at()
};

/// Throws ScenarioError. Whether the blocks exist is known when they are made.
WaveRequest wave_request(const WaveOptions& options);

/// A name is empty, or ends with one of the suffixes and can be created; else throws ScenarioError. Leaves no file that
/// was not there. The file without links, or nothing.
std::filesystem::path check_file(const std::string& option, const std::string& name,
                                 std::initializer_list<std::string_view> suffixes);

struct ObserveOptions {
    ObserveRequest request;  ///< but for its window
    std::string window;
    std::string interval;    ///< of --series
    std::string capture_at;  ///< of --pcap
    std::string run;         ///< label of the run to observe; empty = run_to_look_at()
};

/// Throws ScenarioError, also if a file could not be created.
ObserveRequest observe_request(const ObserveOptions& options);

}  // namespace rnicsim::runner
