// SPDX-License-Identifier: Apache-2.0
// Keys of a DRP RNIC.
#pragma once

#include "model/keys/fields.h"
#include "model/rnic/drp/config.h"

namespace rnicsim {

/// All but who simulates its blocks.
const Fields<RnicConfig>& rnic_fields();

}  // namespace rnicsim
