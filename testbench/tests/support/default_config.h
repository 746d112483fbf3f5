// SPDX-License-Identifier: Apache-2.0
// The base configuration of the timing tests: all defaults, and one transfer.
#pragma once

#include "model/config.h"
#include "model/rnic/drp/end/end_config.h"

namespace rnicsim {

inline RunConfig default_config() {
    RunConfig config = two_drp_hosts();
    config.traffic[0].transfers = 1;
    return config;
}

}  // namespace rnicsim
