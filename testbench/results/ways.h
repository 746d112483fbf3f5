// SPDX-License-Identifier: Apache-2.0
// What the ways of a network leave unused: a switch sends all frames to a host by one port.
#pragma once

#include "model/config.h"

#include <string>

namespace rnicsim::runner {

/// One line, with its end, if some traffic has several shortest ways, of which it takes the first; else nothing.
std::string ways_not_taken(const RunConfig& config);

}  // namespace rnicsim::runner
