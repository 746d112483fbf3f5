// SPDX-License-Identifier: Apache-2.0
// Where a requester begins again after a loss (VERBS.md 7).
#pragma once

#include "model/policy.h"

namespace rnicsim::rc {

class Retransmission : public Policy {
  public:
    /// From the first packet of the oldest message, not from the oldest packet that is not acknowledged; and the
    /// responder takes it from there.
    [[nodiscard]] virtual bool repeats_message() const = 0;
    /// What comes ahead is kept where it can be placed, and only what is missing is sent again; at both ends.
    [[nodiscard]] virtual bool selective() const = 0;
};

/// Throws std::invalid_argument.
const Retransmission& retransmission(std::string_view name);
std::vector<std::string_view> retransmission_names();

}  // namespace rnicsim::rc
