// SPDX-License-Identifier: Apache-2.0
// What a build with RNICSIM_RTL_COVERAGE leaves of each verilated block: how often each line ran and each bit toggled.
#pragma once

class VerilatedContext;

namespace rnicsim {

/// Writes the counters of a block, which is still alive and alone in its context, to a file of its own in the folder
/// that RNICSIM_RTL_COVERAGE names in the environment. Does nothing without it.
void write_coverage(VerilatedContext& context, const char* block);

}  // namespace rnicsim
