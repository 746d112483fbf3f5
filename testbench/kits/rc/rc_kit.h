// SPDX-License-Identifier: Apache-2.0
// Hosts with a RoCEv2 RNIC: their kit.
#pragma once

#include "testbench/kits/kit.h"

namespace rnicsim {

const PersonalityKit& rc_kit();

}  // namespace rnicsim
