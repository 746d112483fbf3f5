// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/applications/application.h"

namespace rnicsim::applications {

/// Commands that set and get values, by TCP or by RDMA, as Redis and Valkey do it.
const Application& key_values();

}  // namespace rnicsim::applications
