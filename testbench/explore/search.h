// SPDX-License-Identifier: Apache-2.0
// The search over DRP's world.
#pragma once

#include "model/rnic/drp/transport_engine.h"
#include "testbench/explore/action.h"
#include "testbench/explore/bounds.h"
#include "testbench/explore/breadth_first.h"

#include <bitset>
#include <cstddef>

namespace rnicsim::explore {

struct Result : Found<Action> {
    std::bitset<static_cast<std::size_t>(TransportCount::count)> reached;  ///< what has happened somewhere
};

Result search(const Setting& setting, const Progressing& progressing);

}  // namespace rnicsim::explore
