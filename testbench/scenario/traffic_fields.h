// SPDX-License-Identifier: Apache-2.0
// Keys of an item of traffic.
#pragma once

#include "model/keys/fields.h"
#include "model/traffic.h"

namespace rnicsim {

/// All but who takes part in it.
const Fields<TrafficConfig>& traffic_fields();
/// An item from its values, with what follows from several of them.
TrafficConfig read_traffic(Values& in);

}  // namespace rnicsim
