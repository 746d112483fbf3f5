// SPDX-License-Identifier: Apache-2.0
// Times of hosts by which what an event says is divided further.
#pragma once

#include "model/config.h"

namespace rnicsim {

/// From a core to what leaves its root port, RootPortConfig::down. Precondition: the host has a RoCEv2 RNIC.
[[nodiscard]] Time down_to_port(const RunConfig& run, unsigned host);

}  // namespace rnicsim
