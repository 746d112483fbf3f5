// SPDX-License-Identifier: Apache-2.0
// What is said of a message that a cut would have lost though its program was told that it is durable.
#pragma once

#include "testbench/records/cut_report.h"

#include <string>

namespace rnicsim {

/// ", and at 12.480 us ...": goes on behind who is told what. When it is wrong for the first time.
std::string where_it_is(const FalseExample& example);

}  // namespace rnicsim
