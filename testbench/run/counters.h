// SPDX-License-Identifier: Apache-2.0
// Every counter of a system, by name.
#pragma once

#include "model/system.h"
#include "testbench/kits/counter_list.h"

#include <cstdint>

namespace rnicsim {

/// Names and values, always the same names in the same order: "a.gmac.tx_frames", ... (results/README.md).
CounterList::Counters collect_counters(const System& system, const RunConfig& config);

/// Frames with payload that all hosts sent, repeats included.
std::uint64_t count_data_frames(const System& system, const RunConfig& config);

}  // namespace rnicsim
