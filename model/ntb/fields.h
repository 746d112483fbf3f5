// SPDX-License-Identifier: Apache-2.0
// Keys of a bridge.
#pragma once

#include "model/keys/fields.h"
#include "model/ntb/config.h"

namespace rnicsim::ntb {

const Fields<Config>& fields();

}  // namespace rnicsim::ntb
