// SPDX-License-Identifier: Apache-2.0
// Keys of a plain host.
#pragma once

#include "model/keys/fields.h"
#include "model/rnic/plain/end_config.h"

namespace rnicsim {

const Fields<PlainEndConfig>& plain_fields();

}  // namespace rnicsim
