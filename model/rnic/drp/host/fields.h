// SPDX-License-Identifier: Apache-2.0
// Keys of a host with a DRP RNIC.
#pragma once

#include "model/keys/fields.h"
#include "model/rnic/drp/host/config.h"

namespace rnicsim {

const Fields<HostConfig>& host_fields();

}  // namespace rnicsim
