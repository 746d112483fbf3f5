// SPDX-License-Identifier: Apache-2.0
// Flow control of posted requests at the host's end of a PCIe link: the device below gives the root port credits. And
// of an instant the device acts first: which of two modules the kernel wakes first at the same time is not specified.
#pragma once

#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim {

class PostedGate {
  public:
    virtual ~PostedGate() = default;
    /// May so many MWr, of so many payload bytes together, begin to leave at `now`? If so it takes their credits. If
    /// not, the port keeps them, and all behind them, until RootPort::credits_back(). `now`: when the link is free,
    /// less than a cycle of the host's clock ahead of the kernel's time.
    virtual bool take(Time now, std::uint32_t tlps, std::uint32_t bytes) = 0;
    /// The host begins what it does at `now`: the device does what it has to do by then, if it has not yet.
    virtual void act_before_host(Time /*now*/) {}
};

}  // namespace rnicsim
