// SPDX-License-Identifier: Apache-2.0
// Keys of DCQCN.
#pragma once

#include "model/keys/fields.h"
#include "model/rnic/rc/congestion/dcqcn/config.h"

namespace rnicsim::rc {

const Fields<DcqcnConfig>& dcqcn_fields();

}  // namespace rnicsim::rc
