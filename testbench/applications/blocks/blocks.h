// SPDX-License-Identifier: Apache-2.0
// Blocks of a chain by WRITE with immediate, as BoR carries them (README.md).
#pragma once

#include "testbench/applications/application.h"

namespace rnicsim::applications {

const Application& block_chain();

}  // namespace rnicsim::applications
