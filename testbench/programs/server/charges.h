// SPDX-License-Identifier: Apache-2.0
// How long a program's processor works for what its program says that it does.
#pragma once

#include "model/rnic/rc/end/end_config.h"
#include "testbench/programs/protocol/messages.h"

#include <optional>

namespace rnicsim::programs {

/// In whole cycles of the host's clock, as an end of an application is charged in a run; at most kMostCharge. None: it
/// is of no kind.
[[nodiscard]] std::optional<Time> cost_of(const Charged& what, const VerbsHostConfig& host);
inline constexpr Time kMostCharge = kSecond * 1'000'000;

}  // namespace rnicsim::programs
