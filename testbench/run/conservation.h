// SPDX-License-Identifier: Apache-2.0
// Nothing is lost without a name: what goes into a link, a switch or an RNIC comes out of it, is still in it, or is
// counted as lost for one of the known reasons.
#pragma once

#include "model/system.h"

#include <string>

namespace rnicsim {

/// Checked at every slice of a run. Empty, or what does not add up. Frees what has left the switches by now.
std::string not_conserved(System& system, const RunConfig& config);

}  // namespace rnicsim
