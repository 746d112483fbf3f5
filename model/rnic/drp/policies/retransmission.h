// SPDX-License-Identifier: Apache-2.0
// What a loss repeats, and whether frames behind it are kept (PROTOCOL.md 4.4).
#pragma once

#include "model/policy.h"
#include "model/rnic/drp/policies/names.h"
#include "tlm/drp/ids.h"

namespace rnicsim {

class Retransmission : public Policy {
  public:
    /// Receiver: does it accept frames of the window behind a hole?
    [[nodiscard]] virtual bool takes_ahead() const = 0;
    /// Sender, after a loss: end of the frames to send again. `una`: oldest not acknowledged, where they begin;
    /// `next`: next never sent; una < result <= next.
    [[nodiscard]] virtual Sn resend_end(Sn una, Sn next) const = 0;
    /// Sender, recovering: does a partial acknowledgement send the next hole at once?
    [[nodiscard]] virtual bool fills_next_hole() const = 0;
};

}  // namespace rnicsim
