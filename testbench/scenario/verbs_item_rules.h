// What an item of verbs messages may be, by itself and with the hosts and links that it is for.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// Throws ScenarioError.
void check_verbs_item(const RunConfig& config, const TrafficConfig& item, Lookup& in);

}  // namespace rnicsim
