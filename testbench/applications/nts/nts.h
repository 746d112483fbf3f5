// SPDX-License-Identifier: Apache-2.0
// Messages through rings in the other host's memory, by the stores of a core through a PCIe bridge (README.md).
#pragma once

#include "testbench/applications/application.h"

namespace rnicsim::applications {

const Application& bridge_rings();

}  // namespace rnicsim::applications
