// SPDX-License-Identifier: Apache-2.0
// Keys of a host with a RoCEv2 RNIC.
#pragma once

#include "model/host/verbs/config.h"
#include "model/keys/fields.h"

namespace rnicsim {

/// All but those of its persistence path, and of its card.
const Fields<VerbsHostConfig>& verbs_host_fields();

}  // namespace rnicsim
