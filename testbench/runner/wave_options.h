// The texts of --wave, --wave-blocks and --wave-window.
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

}  // namespace rnicsim::runner
