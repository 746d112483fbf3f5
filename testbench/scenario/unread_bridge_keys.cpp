// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/unread_keys.h"

#include <array>

namespace rnicsim {
namespace {

bool bridge_is_never_down(const Part& part) { return part.bridge().down.probability <= 0; }

constexpr std::array kBridgeRules = std::to_array<UnreadRule>({
    {"system.bridge.down.period", bridge_is_never_down, "the link is never down", "system.bridge.down.probability",
     " of more than 0 %", But::tape},
    {"system.bridge.down.duration", bridge_is_never_down, "the link is never down", "system.bridge.down.probability",
     " of more than 0 %", But::tape},
});

}  // namespace

std::span<const UnreadRule> unread_of_bridges() { return kBridgeRules; }

}  // namespace rnicsim
