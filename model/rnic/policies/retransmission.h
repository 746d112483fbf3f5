// What a loss repeats, and whether frames behind it are kept (PROTOCOL.md 4.4).
#pragma once

#include "model/policy.h"
#include "tlm/units.h"

namespace rnicsim {

class Retransmission : public Policy {
  public:
    /// Receiver: takes frames of the window that are ahead of the next one?
    [[nodiscard]] virtual bool takes_ahead() const = 0;
    /// Sender, after a loss: where what is sent again ends. `una`: oldest not acknowledged, which is sent first;
    /// `next`: next never sent; una < result <= next.
    [[nodiscard]] virtual Sn resend_end(Sn una, Sn next) const = 0;
    /// Sender, recovering: does an acknowledgement of a part uncover the next hole, to be sent at once?
    [[nodiscard]] virtual bool fills_next_hole() const = 0;
};

/// system.rnic.transport.retransmission. Throws std::invalid_argument.
const Retransmission& retransmission(std::string_view name);
std::vector<std::string_view> retransmission_names();

}  // namespace rnicsim
