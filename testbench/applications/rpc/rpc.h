// SPDX-License-Identifier: Apache-2.0
// brpc: requests and answers in blocks by SEND with immediate, which gives credits back (README.md).
#pragma once

#include "testbench/applications/application.h"

namespace rnicsim::applications {

const Application& brpc();

}  // namespace rnicsim::applications
