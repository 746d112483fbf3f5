// SPDX-License-Identifier: Apache-2.0
// From values as written to the configuration of a run: defaults, values of items, rules across keys.
#pragma once

#include <functional>
#include <string>

#include "model/config.h"
#include "testbench/scenario/lookup.h"
#include "testbench/scenario/reader.h"

namespace rnicsim {

/// Gets to know what has been read.
using Read = std::function<void(const RunConfig&, const Lookups&)>;

/// Throws ScenarioError. `file` names it in messages about defaults.
RunConfig resolve(const ParsedValues& values, const NetworkPlan& plan, const std::string& file, const Read& read = {});

std::uint32_t resolve_repetitions(const ParsedValues& values);

/// Keys that resolve() looks at, sorted. A test compares with all_keys().
std::vector<std::string> resolved_keys();

}  // namespace rnicsim
