// SPDX-License-Identifier: Apache-2.0
// Keys of the run as a whole.
#pragma once

#include "model/config.h"
#include "model/keys/fields.h"

namespace rnicsim {

/// `simulation.seed` and `simulation.watchdog`.
const Fields<RunConfig>& run_fields();
/// Those that are no member of a RunConfig: which end initiates, and how many runs there are.
Declarations other_run_declarations();
/// Those of every host, whatever it is: how many there are, which personality and which profile.
Declarations host_declarations();

}  // namespace rnicsim
