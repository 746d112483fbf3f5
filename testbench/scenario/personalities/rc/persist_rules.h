// SPDX-License-Identifier: Apache-2.0
// What an item with a scheme may be, and which hosts have one.
#pragma once

#include "model/config.h"
#include "model/network/routes.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// All throw ScenarioError.
void check_persists(const RunConfig& config, Lookups& in);
/// Who asks again before an answer can come has each item on the wire twice, and gives up in the end.
/// `firmware`: what that of the responder's card takes.
void check_persist_timer(const RunConfig& config, const Routes& routes, Time firmware, unsigned from, unsigned to,
                         Lookup& in);

}  // namespace rnicsim
