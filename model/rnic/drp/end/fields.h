// SPDX-License-Identifier: Apache-2.0
// Keys of a host with a DRP RNIC.
#pragma once

#include "model/keys/fields.h"
#include "model/rnic/drp/end/end_config.h"

namespace rnicsim {

/// All but who simulates its blocks.
const Fields<DrpEndConfig>& drp_end_fields();

}  // namespace rnicsim
