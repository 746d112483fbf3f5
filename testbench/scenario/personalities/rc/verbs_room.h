// SPDX-License-Identifier: Apache-2.0
// What the items of a run take of each host: bytes of rings and buffers, QPs and CQ entries.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// Rings and buffers of a host fit below its devices' addresses, and its card has QPs and CQ entries enough; else the
/// refusal names the most that is accepted.
void check_room(const RunConfig& config, Lookups& in);

}  // namespace rnicsim
