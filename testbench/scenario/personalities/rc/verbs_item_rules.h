// SPDX-License-Identifier: Apache-2.0
// What an item of verbs messages may be, by itself and with the hosts and links that it is for.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// Nothing on the way between these hosts loses, copies or overtakes a frame.
bool is_kept(const RunConfig& config, const TrafficConfig& item, const Routes& routes, unsigned from, unsigned to);
/// Throws ScenarioError.
void check_verbs_item(const RunConfig& config, const TrafficConfig& item, Lookup& in);

}  // namespace rnicsim
