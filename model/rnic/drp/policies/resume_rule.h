// SPDX-License-Identifier: Apache-2.0
// What a valid REQ_ACK makes an indirect initiator send again at once (PROTOCOL.md 6.8).
#pragma once

#include "model/policy.h"
#include "model/rnic/drp/policies/names.h"

namespace rnicsim {

class ResumeRule : public Policy {
  public:
    /// Responder: does MODE of a write's valid REQ_ACK say whether frames of the transfer were refused?
    [[nodiscard]] virtual bool tells() const = 0;
    /// Initiator whose window is full: send what is outstanding again? `mode`: of the REQ_ACK.
    [[nodiscard]] virtual bool resumes(bool mode) const = 0;
};

}  // namespace rnicsim
