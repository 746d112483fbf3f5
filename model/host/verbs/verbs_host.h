// A host with a RoCEv2 RNIC: its processor runs the driver and a program.
#pragma once

#include "model/host/host.h"
#include "model/host/verbs/verbs_driver.h"

#include <systemc>

namespace rnicsim {

class VerbsHost final : public Host {
  public:
    VerbsHost(sc_core::sc_module_name name, const VerbsHostConfig& config, std::uint64_t memory_bytes,
              PciePool& transactions, const Horizon& horizon)
        : Host(name, {config.memory, {}, config.pcie, config.clock, memory_bytes}, transactions, horizon),
          driver(config, memory, root_complex, wakeup()) {}

    VerbsDriver driver;

    [[nodiscard]] bool idle() const { return root_complex.idle() && driver.idle(); }

  private:
    void run(Cycle now) override { driver.run(now); }
    [[nodiscard]] Cycle next_task() const override { return driver.next_due(); }
    void interrupted(Cycle at, std::uint32_t vector) override { driver.interrupt(at, vector); }
    [[nodiscard]] bool rests_until(Cycle due) const override { return driver.rests_until(due); }
};

}  // namespace rnicsim
