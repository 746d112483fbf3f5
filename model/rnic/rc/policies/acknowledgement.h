// SPDX-License-Identifier: Apache-2.0
// Whether a newer ACK replaces one that still waits for the port (VERBS.md V-S4).
#pragma once

#include "model/policy.h"

namespace rnicsim::rc {

class Acknowledgement : public Policy {
  public:
    /// An ACK says all that an older one says.
    [[nodiscard]] virtual bool merges() const = 0;
};

/// Throws std::invalid_argument.
const Acknowledgement& acknowledgement(std::string_view name);
std::vector<std::string_view> acknowledgement_names();

}  // namespace rnicsim::rc
