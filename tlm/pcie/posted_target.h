// SPDX-License-Identifier: Apache-2.0
// Hears what a root port has taken from the device below it: a device with flow control gives its places back.
#pragma once

#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim {

class PostedTarget {
  public:
    virtual ~PostedTarget() = default;
    /// MWr with so many bytes of payload, which have a place in the host until `left`: not before now.
    virtual void taken(Time left, std::uint32_t tlps, std::uint32_t bytes) = 0;
};

}  // namespace rnicsim
