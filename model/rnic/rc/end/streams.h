// SPDX-License-Identifier: Apache-2.0
// Which hosts of a run have streams.
#pragma once

#include "model/rnic/rc/end/end_config.h"

namespace rnicsim {

/// Does a program of the host use TCP? So far none that a scenario names does.
[[nodiscard]] inline bool has_streams(const RunConfig& /*run*/, unsigned /*host*/) { return false; }

}  // namespace rnicsim
