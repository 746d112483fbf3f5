// SPDX-License-Identifier: Apache-2.0
// Keys of a card's slot, which all cards have.
#pragma once

#include "model/rnic/common/config.h"
#include "testbench/scenario/lookup.h"
#include "tlm/time/clock.h"

namespace rnicsim {

/// `clock`: of which end of the link.
PcieConfig resolve_pcie(Lookup& in, const Clock& clock);

}  // namespace rnicsim
