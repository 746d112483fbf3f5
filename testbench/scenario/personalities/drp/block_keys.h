// SPDX-License-Identifier: Apache-2.0
// Keys of who simulates the blocks of a DRP RNIC: `simulation.*`.
#pragma once

#include "model/keys/fields.h"
#include "model/rnic/drp/block_list.h"
#include "testbench/scenario/lookup.h"

#include <string>
#include <string_view>

namespace rnicsim {

/// Who simulates all blocks of the RNIC that are not named themselves.
inline constexpr std::string_view kRnicBlocks = "simulation.rnic";

Declarations block_declarations();
/// Does the key choose who simulates a block? Beside the words declared, it takes the name of any block that was built
/// in.
bool is_block_key(std::string_view common);
/// "simulation.gmac"
std::string block_key(Block block);
/// Who simulates each block of a host's RNIC.
BlockNames read_blocks(Lookup& in);

}  // namespace rnicsim
