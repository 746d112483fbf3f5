// SPDX-License-Identifier: Apache-2.0
// Which waveforms a run's Verilog is to leave (model/rtl/waves.h).
#pragma once

#include "tlm/time/cycle.h"

#include <string>
#include <vector>

namespace rnicsim {

struct WaveRequest {
    std::string file{};                 ///< x.fst stands for a file for each instance, x.a.gmac_tx.fst; empty = none
    std::vector<std::string> blocks{};  ///< instances; empty = all
    Cycle from, to = kNever;            ///< cycles from .. to - 1
};

}  // namespace rnicsim
