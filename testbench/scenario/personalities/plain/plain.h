// SPDX-License-Identifier: Apache-2.0
// Keys of a plain host.
#pragma once

#include "testbench/scenario/personalities/personality.h"

namespace rnicsim {

const Personality& plain_personality();

}  // namespace rnicsim
