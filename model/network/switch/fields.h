// SPDX-License-Identifier: Apache-2.0
// Keys of a switch.
#pragma once

#include "model/keys/fields.h"
#include "model/network/switch/config.h"

namespace rnicsim {

const Fields<SwitchConfig>& switch_fields();

}  // namespace rnicsim
