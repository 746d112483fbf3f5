// SPDX-License-Identifier: Apache-2.0
// What is behind a run of items with a scheme that ended badly.
#pragma once

#include "testbench/results/journal.h"
#include "testbench/sweep/event_pipe.h"

namespace rnicsim::runner {

/// Of the first run in which an initiator was told too much, or waited for ever: simulates it again, and prints on
/// stderr the ladder of the item. Nothing, if there is no such run. `journal`: of the finished ones.
void show_first_offence(const Scenario& scenario, const Journal& journal, const Record& record);

}  // namespace rnicsim::runner
