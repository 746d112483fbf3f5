// SPDX-License-Identifier: Apache-2.0
// NCCL's transport: who receives says where, in a FIFO of the sender's memory; the sender WRITEs there (README.md).
#pragma once

#include "testbench/applications/application.h"

namespace rnicsim::applications {

const Application& nccl();

}  // namespace rnicsim::applications
