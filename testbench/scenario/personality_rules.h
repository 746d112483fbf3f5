// SPDX-License-Identifier: Apache-2.0
// Rules about what hosts have: DRP RNICs, RoCEv2 RNICs, or a MAC only.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

#include <string>

namespace rnicsim {

/// Throws ScenarioError where an item joins unlike hosts, or a value is of another personality than its host.
void check_personalities(const RunConfig& config, Lookups& in, const ParsedValues& values);

/// Why the item does not read a key of `run`, with what would have it do so; nullptr: it does.
[[nodiscard]] const char* why_unread(const TrafficConfig& item, const std::string& key);

/// Takes off what other items have from the values for all, such as `depth` of one between DRP RNICs. `size`: its own,
/// of all that it sends.
void keep_to_workload(TrafficConfig& item, std::uint32_t size);

}  // namespace rnicsim
