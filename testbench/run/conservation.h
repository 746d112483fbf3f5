// SPDX-License-Identifier: Apache-2.0
// Nothing is lost without a name: what goes into a link, a switch or an RNIC comes out of it, is still in it, or is
// counted as lost for one of the known reasons.
#pragma once

#include "model/ntb/bridge.h"
#include "model/system.h"
#include "testbench/kits/sums.h"

#include <array>
#include <string>

namespace rnicsim {

/// Checked at every slice of a run. Empty, or what does not add up. Frees what has left the switches by now.
std::string not_conserved(System& system, const RunConfig& config);

/// By side of a bridge: what its host sends, by name.
std::array<std::string, 2> senders_of(const RunConfig& config, const ntb::Config& bridge);

/// A bridge's part. `names`: by side, for what its host sends. `is_idle`: nothing is under way.
void check_bridge(const ntb::Bridge& bridge, const std::array<std::string, 2>& names, bool is_idle, Sums& sums);

}  // namespace rnicsim
