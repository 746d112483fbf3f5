// SPDX-License-Identifier: Apache-2.0
// Which waveforms a run's Verilog is to leave (model/rtl/waves.h).
#pragma once

#include "tlm/time/time.h"

#include <string>
#include <vector>

namespace rnicsim {

struct WaveRequest {
    std::string file{};                 ///< x.fst stands for a file for each instance, x.a.gmac_tx.fst; empty = none
    std::vector<std::string> blocks{};  ///< instances; empty = all
    Time from, to = kEndOfTime;         ///< cycles of each block that lie in it from first to last
};

}  // namespace rnicsim
