// SPDX-License-Identifier: Apache-2.0
// A host with a RoCEv2 RNIC: its processor runs the driver and a program.
#pragma once

#include "model/host/host.h"
#include "model/host/verbs/verbs_driver.h"

#include <memory>
#include <systemc>

namespace rnicsim {

class VerbsHost final : public Host {
  public:
    /// `random`, `end`: of its persistence path's draws.
    VerbsHost(sc_core::sc_module_name name, const VerbsHostConfig& config, std::uint64_t memory_bytes,
              PciePool& transactions, const Horizon& horizon, const RandomSource& random, unsigned end)
        : Host(name, {config.memory, {}, config.pcie, config.clock, memory_bytes}, transactions, horizon),
          queues(memory, root_complex),
          driver(config, memory, queues, wakeup()) {
        run_software(driver);
        if (!config.persistence) return;
        persistence_ = std::make_unique<PersistencePath>(*config.persistence, random, end);
        memory.set_persistence(persistence_.get());
        root_complex.expect_buffered();
    }

    VerbsQueues queues;
    VerbsDriver driver;

    /// In place of the driver; not owned. Before the simulation starts.
    void run_software(HostSoftware& software) {
        software_ = &software;
        memory.set_watcher(&software);
    }
    /// nullptr: there is none, and writes are in the memory when they arrive.
    [[nodiscard]] PersistencePath* persistence() const { return persistence_.get(); }
    /// Software outside has something to do at `at`.
    void wake_at(Cycle at) { wakeup().at(at); }

    [[nodiscard]] std::uint64_t interrupts() const { return interrupts_; }
    [[nodiscard]] bool idle() const { return root_complex.idle() && software_->idle(); }

  private:
    void run(Cycle now) override { software_->run(now); }
    [[nodiscard]] Cycle next_task() const override { return software_->next_due(); }
    void interrupted(Cycle at, std::uint32_t vector) override {
        ++interrupts_;
        software_->interrupt(at, vector);
    }
    [[nodiscard]] bool rests_until(Cycle due) const override { return software_->next_due() >= due; }

    HostSoftware* software_ = nullptr;  // not owned
    std::unique_ptr<PersistencePath> persistence_;
    std::uint64_t interrupts_ = 0;
};

}  // namespace rnicsim
