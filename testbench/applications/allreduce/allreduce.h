// SPDX-License-Identifier: Apache-2.0
// NCCL's ring: all hosts get the sum of all their vectors, over the lanes of fifo (README.md).
#pragma once

#include "testbench/applications/application.h"

namespace rnicsim::applications {

const Application& ring_allreduce();

}  // namespace rnicsim::applications
