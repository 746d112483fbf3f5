// SPDX-License-Identifier: Apache-2.0
// Keys of a link.
#pragma once

#include "model/keys/fields.h"
#include "model/network/link/config.h"

namespace rnicsim {

/// All but between whom it is.
const Fields<LinkConfig>& link_fields();

}  // namespace rnicsim
