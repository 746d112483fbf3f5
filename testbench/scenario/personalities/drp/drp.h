// SPDX-License-Identifier: Apache-2.0
// Keys of a host with a DRP RNIC.
#pragma once

#include "testbench/scenario/personalities/personality.h"

namespace rnicsim {

const Personality& drp_personality();

}  // namespace rnicsim
