// SPDX-License-Identifier: Apache-2.0
// A network as canonical YAML: the same network again, when it is read.
#pragma once

#include "testbench/scenario/listing.h"
#include "testbench/scenario/reader.h"

namespace rnicsim {

/// Is it written for the run as a whole? Keys of networks only in networks; there each item of traffic has its own.
bool is_common_key(const Key& key, bool network);

/// system.hosts, system.switches and system.links, each item with its own values.
void write_network(Listing& out, const ParsedScenario& parsed);
/// run.traffic, each item with all values.
void write_traffic(Listing& out, const ParsedScenario& parsed);

}  // namespace rnicsim
