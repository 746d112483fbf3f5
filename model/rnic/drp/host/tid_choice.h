// SPDX-License-Identifier: Apache-2.0
// The TID of a host's next transfer (PROTOCOL.md 1.7): ascending, wrapping, without those in use.
#pragma once

#include "tlm/drp/ids.h"

#include <concepts>
#include <cstdint>

namespace rnicsim {

class TidChoice {
  public:
    /// `in_use`: does a transfer of this host use that TID? Precondition: not all are in use; rules.cpp bounds the
    /// concurrent transfers.
    Tid next(const std::predicate<Tid> auto& in_use) {
        Tid tid{next_++};
        while (in_use(tid)) tid = Tid{next_++};
        return tid;
    }

  private:
    std::uint16_t next_ = 0;
};

}  // namespace rnicsim
