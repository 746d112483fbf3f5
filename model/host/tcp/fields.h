// SPDX-License-Identifier: Apache-2.0
// Keys of a host's TCP.
#pragma once

#include "model/host/tcp/config.h"
#include "model/keys/fields.h"

namespace rnicsim {

/// Times in cycles are of the clock that its host's fields name.
const Fields<TcpConfig>& tcp_fields();

}  // namespace rnicsim
