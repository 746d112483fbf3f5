// SPDX-License-Identifier: Apache-2.0
// The results on the screen: one line a point, with the published value beside ours where there is one.
#pragma once

#include "testbench/results/summary.h"

#include <string>

namespace rnicsim::runner {

std::string results_table(const Scenario& scenario, const Summary& summary);

/// "1.234 ± 0.012 ms", in the unit that suits the mean; "-" without a value.
std::string time_text(const Estimate& microseconds);

}  // namespace rnicsim::runner
