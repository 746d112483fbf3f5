// SPDX-License-Identifier: Apache-2.0
// The settings of every congestion control that has some, by its name: keys of `system.rnic.rc.NAME`.
#pragma once

#include "model/rnic/rc/congestion/dcqcn/config.h"

namespace rnicsim::rc {

struct CongestionConfigs {
    DcqcnConfig dcqcn;
};

}  // namespace rnicsim::rc
