// SPDX-License-Identifier: Apache-2.0
// What hosts' processors cost in numbers that others measure, for `rnicsim describe`.
#pragma once

#include "model/config.h"

#include <string>

namespace rnicsim {

/// Lines for each kind of host whose processor pays for interrupts or streams (testbench/theory/check_lines.h); empty:
/// there is none.
std::string check_lines_text(const RunConfig& config);

}  // namespace rnicsim
