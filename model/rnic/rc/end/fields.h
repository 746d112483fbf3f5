// SPDX-License-Identifier: Apache-2.0
// Keys of a host with a RoCEv2 RNIC.
#pragma once

#include "model/keys/fields.h"
#include "model/rnic/rc/end/end_config.h"

namespace rnicsim {

/// All but those of its persistence path and its profile.
const Fields<VerbsEndConfig>& verbs_end_fields();

}  // namespace rnicsim
