// What an item with a scheme may be, and which hosts have one.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// Throws ScenarioError.
void check_persists(const RunConfig& config, Lookups& in);

}  // namespace rnicsim
