// SPDX-License-Identifier: Apache-2.0
// Keys of a RoCEv2 RNIC.
#pragma once

#include "model/keys/fields.h"
#include "model/rnic/rc/card_config.h"

namespace rnicsim::rc {

/// All but those of its QPs.
const Fields<CardConfig>& card_fields();

}  // namespace rnicsim::rc
