// SPDX-License-Identifier: Apache-2.0
// Keys of a core's way to a device behind a bridge.
#pragma once

#include "model/host/cpu/store_config.h"
#include "model/host/port_config.h"
#include "model/keys/fields.h"

namespace rnicsim {

const Fields<StoreConfig>& store_fields();
const Fields<RootPortConfig>& root_port_fields();

}  // namespace rnicsim
