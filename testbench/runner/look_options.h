// The texts of --wave and its options, and of those that look inside a run.
#pragma once

#include "model/config.h"

#include <string>
#include <vector>

namespace rnicsim::runner {

struct WaveOptions {
    std::string file;
    std::vector<std::string> blocks;
    std::string window;
};

/// Throws ScenarioError. Whether the blocks exist is known when they are made.
WaveRequest wave_request(const WaveOptions& options);

struct ObserveOptions {
    ObserveRequest request;  ///< but for its window
    std::string window;
    std::string run;  ///< label of the run to observe; empty = the first
};

/// Throws ScenarioError, also if a file could not be created.
ObserveRequest observe_request(const ObserveOptions& options);

}  // namespace rnicsim::runner
