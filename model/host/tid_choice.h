// Which TID a host gives its next transfer (PROTOCOL.md 1.7): in order, they wrap, and those in use are skipped.
#pragma once

#include "tlm/units.h"

#include <concepts>
#include <cstdint>

namespace rnicsim {

class TidChoice {
  public:
    /// `in_use`: has a transfer of this host that TID? Precondition: not all of them; rules.cpp bounds the transfers at
    /// a time.
    Tid next(const std::predicate<Tid> auto& in_use) {
        Tid tid{next_++};
        while (in_use(tid)) tid = Tid{next_++};
        return tid;
    }

  private:
    std::uint16_t next_ = 0;
};

}  // namespace rnicsim
