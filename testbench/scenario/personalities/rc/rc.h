// SPDX-License-Identifier: Apache-2.0
// Keys of a host with a RoCEv2 RNIC.
#pragma once

#include "model/host/persistence/config.h"
#include "testbench/scenario/personalities/personality.h"

namespace rnicsim {

const Personality& rc_personality();

/// The path into persistent memory, whether its keys are written or not.
PersistenceConfig resolve_persistence(Lookup& in);

}  // namespace rnicsim
