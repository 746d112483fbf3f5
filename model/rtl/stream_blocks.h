// SPDX-License-Identifier: Apache-2.0
// The blocks with AXI-Stream ports that were built in (-DRNICSIM_STREAM_BLOCKS), by their names in `simulation:`.
#pragma once

#include "model/rnic/drp/blocks.h"
#include "model/rtl/block_place.h"
#include "tlm/time/time.h"

#include <memory>
#include <string>

namespace rnicsim {

/// nullptr: none has this name.
std::unique_ptr<MacEngine> stream_mac(const std::string& name, const BlockPlace& place);
/// `model`: as for StreamFilter.
std::unique_ptr<FilterEngine> stream_filter(const std::string& name, const MacAddress& own,
                                            std::unique_ptr<FilterEngine> model, const BlockPlace& place);
/// Of the clock of the block that has this name; 0 if none with streams has it.
[[nodiscard]] Time stream_period(Block block, const std::string& name);

}  // namespace rnicsim
