// SPDX-License-Identifier: Apache-2.0
// A host with a DRP RNIC: its processor runs the driver.
#pragma once

#include "model/host/host.h"
#include "model/rnic/drp/host/processor.h"

#include <systemc>

namespace rnicsim {

class DrpHost final : public Host {
  public:
    /// `pcie`: parameters of the slot's link. `memory_bytes`: size of the memory.
    DrpHost(sc_core::sc_module_name name, const DriverConfig& driver, const PcieConfig& pcie,
            std::uint64_t memory_bytes, PciePool& transactions, const Horizon& horizon)
        : Host(name, {driver.host.memory, driver.host.bridge, pcie, {}, driver.host.clock, memory_bytes}, transactions,
               horizon),
          processor("processor", driver, memory, root_complex, wakeup()) {}

    Processor processor;

    [[nodiscard]] bool idle() const { return root_complex.idle() && processor.idle(); }

  private:
    void run(Cycle now) override { processor.run(now); }
    [[nodiscard]] Cycle next_task() const override { return processor.next_due(); }
    void interrupted(Cycle at, std::uint32_t /*vector*/) override { processor.interrupt(at); }
    [[nodiscard]] bool rests_until(Cycle due) const override { return processor.rests_until(due); }
};

}  // namespace rnicsim
