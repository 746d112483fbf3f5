// SPDX-License-Identifier: Apache-2.0
// A page of memory with the simulated time, which programs read and only the simulator writes.
#pragma once

#include "testbench/programs/protocol/messages.h"
#include "testbench/programs/server/descriptor.h"
#include "tlm/time/time.h"

namespace rnicsim::programs {

class SharedClock {
  public:
    /// Throws RequestError if there is no such memory.
    SharedClock();
    ~SharedClock();
    SharedClock(const SharedClock&) = delete;
    SharedClock& operator=(const SharedClock&) = delete;

    void show(Time now) { __atomic_store_n(&page_->now, now.ps, __ATOMIC_RELEASE); }
    /// To be mapped for reading; of sizeof(ClockPage) bytes.
    [[nodiscard]] int descriptor() const { return memory_.get(); }

  private:
    Descriptor memory_;
    ClockPage* page_ = nullptr;
};

}  // namespace rnicsim::programs
