// SPDX-License-Identifier: Apache-2.0
// Keys of what a host's processor pays for the operating system's part in RDMA.
#pragma once

#include "model/host/cpu/config.h"
#include "model/keys/fields.h"

namespace rnicsim {

const Fields<CpuConfig>& cpu_fields();

}  // namespace rnicsim
