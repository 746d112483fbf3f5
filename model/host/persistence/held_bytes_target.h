// SPDX-License-Identifier: Apache-2.0
// Hears of what an IIO has held.
#pragma once

#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim {

/// Hears when bytes can be seen that the IIO has held.
class HeldBytesTarget {
  public:
    virtual ~HeldBytesTarget() = default;
    virtual void seen(std::uint64_t address, std::uint64_t bytes, Time at) = 0;
};

}  // namespace rnicsim
