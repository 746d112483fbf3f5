// SPDX-License-Identifier: Apache-2.0
// SMC-R: sockets whose bytes go by WRITE into a ring of the other end's (README.md).
#pragma once

#include "testbench/applications/application.h"

namespace rnicsim::applications {

const Application& smc_sockets();

}  // namespace rnicsim::applications
