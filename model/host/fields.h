// SPDX-License-Identifier: Apache-2.0
// Keys of a host.
#pragma once

#include "model/host/config.h"
#include "model/keys/fields.h"

namespace rnicsim {

/// Of any host with a card.
const Fields<MemoryConfig>& memory_fields();
/// "software.interrupt_latency", of any host with a card.
Key interrupt_latency_key();

}  // namespace rnicsim
