// Every counter of a system, by name.
#pragma once

#include "model/system.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {

/// Names and values, always the same names in the same order: "a.gmac.tx_frames", ... (results/README.md).
std::vector<std::pair<std::string, std::uint64_t>> collect_counters(const System& system, const RunConfig& config);

/// DRP data frames that all hosts sent, retransmissions included.
std::uint64_t count_data_frames(const System& system);

}  // namespace rnicsim
