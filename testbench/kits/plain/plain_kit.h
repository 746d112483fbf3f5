// SPDX-License-Identifier: Apache-2.0
// Plain hosts: their kit.
#pragma once

#include "testbench/kits/kit.h"

namespace rnicsim {

const PersonalityKit& plain_kit();

}  // namespace rnicsim
