// SPDX-License-Identifier: Apache-2.0
// What runs on the processor of a host with a RoCEv2 RNIC: the driver with its program, or programs from outside.
#pragma once

#include "model/host/cpu/cores.h"
#include "model/host/memory.h"
#include "tlm/time/cycle.h"

#include <cstdint>

namespace rnicsim {

class HostSoftware : public MemoryWatcher {
  public:
    /// All that is due by now.
    virtual void run(Cycle now) = 0;
    [[nodiscard]] virtual Cycle next_due() const = 0;
    /// On whose core the handler of such an MSI runs.
    [[nodiscard]] virtual Thread handled_by(std::uint32_t /*vector*/) const { return Thread::first; }
    /// An MSI has come.
    virtual void interrupt(Cycle at, std::uint32_t vector) = 0;
    [[nodiscard]] virtual bool idle() const = 0;
};

}  // namespace rnicsim
