// SPDX-License-Identifier: Apache-2.0
// How long hosts with RoCEv2 RNICs may do nothing that can be seen: their part of the watchdog's limit.
#pragma once

#include "model/config.h"

namespace rnicsim {

/// All tries of a QP, and as many waits after RNR NAKs. A receive comes at last, as programs post them.
Time held_by_verbs(const RunConfig& config);

}  // namespace rnicsim
