// SPDX-License-Identifier: Apache-2.0
// A host with a RoCEv2 RNIC: its processor runs the driver and a program.
#pragma once

#include "model/host/host.h"
#include "model/host/verbs/stream_host.h"
#include "model/host/verbs/verbs_driver.h"
#include "model/rnic/rc/rc_rnic.h"

#include <memory>
#include <systemc>

namespace rnicsim {

class VerbsHost final : public Host {
  public:
    /// `random`, `end`: of its persistence path's draws.
    VerbsHost(sc_core::sc_module_name name, const VerbsHostConfig& config, std::uint64_t memory_bytes,
              PciePool& transactions, const Horizon& horizon, const RandomSource& random, unsigned end)
        : Host(name, {config.memory, {}, config.pcie, config.clock, memory_bytes}, transactions, horizon),
          config_(config),
          host_(end),
          queues(memory, root_complex),
          driver(config, memory, queues, wakeup()) {
        run_software(driver);
        if (!config.persistence) return;
        persistence_ = std::make_unique<PersistencePath>(*config.persistence, random, end);
        memory.set_persistence(persistence_.get());
        root_complex.card.expect_buffered();
    }

  private:
    const VerbsHostConfig config_;
    const unsigned host_;

  public:
    VerbsQueues queues;
    VerbsDriver driver;

    /// It has streams, and its card becomes an Ethernet card as well; once, before the simulation starts. The program
    /// is not owned.
    TcpStack& add_streams(rc::RcRnic& card, const StreamHost::Place& place, StreamProgram& program) {
        streams_ = std::make_unique<StreamHost>(config_, host_, memory, root_complex, driver, wakeup(), place, program);
        card.add_ethernet(streams_->stack.rings(), {config_.tcp.moderation, !streams_->stack.polls()});
        run_software(*streams_);
        return streams_->stack;
    }
    /// nullptr: there are none.
    [[nodiscard]] TcpStack* streams() const { return streams_ ? &streams_->stack : nullptr; }

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
    std::unique_ptr<StreamHost> streams_;
    std::uint64_t interrupts_ = 0;
};

}  // namespace rnicsim
