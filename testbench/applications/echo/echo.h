// SPDX-License-Identifier: Apache-2.0
// Echo: a request is sent back. What it asks is where a program's data should lie: in memory that is registered for
// each message, in memory from which they are copied, or in the pool that the card knows (README.md).
#pragma once

#include "testbench/applications/application.h"

namespace rnicsim::applications {

const Application& echo();

}  // namespace rnicsim::applications
