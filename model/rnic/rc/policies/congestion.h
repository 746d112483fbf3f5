// SPDX-License-Identifier: Apache-2.0
// Whether QPs slow down where a switch says that a queue is long (VERBS.md 7).
#pragma once

#include "model/policy.h"

namespace rnicsim::rc {

class CongestionControl : public Policy {
  public:
    /// Packets may be marked, a mark is told to who sent it, and that QP slows down (dcqcn.h).
    [[nodiscard]] virtual bool on() const = 0;
};

/// Throws std::invalid_argument.
const CongestionControl& congestion_control(std::string_view name);
std::vector<std::string_view> congestion_control_names();

}  // namespace rnicsim::rc
