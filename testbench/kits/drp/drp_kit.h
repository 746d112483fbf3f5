// SPDX-License-Identifier: Apache-2.0
// Hosts with a DRP RNIC: their kit.
#pragma once

#include "testbench/kits/kit.h"

namespace rnicsim {

const PersonalityKit& drp_kit();

}  // namespace rnicsim
