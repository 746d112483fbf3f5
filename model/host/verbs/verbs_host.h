// SPDX-License-Identifier: Apache-2.0
// A host with a RoCEv2 RNIC: its processor runs the driver and a program.
#pragma once

#include "model/host/cpu/store_cores.h"
#include "model/host/host.h"
#include "model/host/verbs/stream_host.h"
#include "model/host/verbs/verbs_driver.h"
#include "model/ntb/config.h"
#include "model/rnic/rc/rc_rnic.h"

#include <memory>
#include <span>
#include <systemc>

namespace rnicsim {

/// Is told of interrupts of a host's bridges.
class BridgeListener {
  public:
    virtual ~BridgeListener() = default;
    /// On whose core the handler of this bit of the host's `number`th bridge runs.
    [[nodiscard]] virtual Thread handled_by(unsigned number, unsigned bit) const = 0;
    /// This bit is set at the host's `number`th bridge; the handler runs at `at`.
    virtual void bridge_interrupted(Cycle at, unsigned number, unsigned bit) = 0;
};

class VerbsHost final : public Host {
  public:
    /// `random`, `end`: of its persistence path's draws. `links`: of all its ports, the card's first.
    VerbsHost(sc_core::sc_module_name name, const VerbsHostConfig& config, std::uint64_t memory_bytes,
              PciePool& transactions, const Horizon& horizon, const RandomSource& random, unsigned end,
              std::span<const IioLink> links)
        : Host(name, {config.memory, {}, config.pcie, config.root_port, config.clock, memory_bytes}, transactions,
               horizon),
          config_(config),
          host_(end),
          queues(memory, root_complex),
          driver(config, memory, queues, wakeup()) {
        run_software(driver);
        for (const IioLink& link : links.subspan(1)) root_complex.add_port(link.pcie);
        if (links.size() > 1)
            stores_ =
                std::make_unique<StoreCores>(config.cpu.store, config.cpu.cores, root_complex, wakeup(), random, end);
        if (!config.persistence) return;
        const bool is_one = links.size() == 1;
        const IioSharing sharing = config.persistence->iio.shared ? IioSharing::shared : IioSharing::by_port;
        persistence_ = is_one ? std::make_unique<PersistencePath>(*config.persistence, random, end)
                              : std::make_unique<PersistencePath>(*config.persistence, random, end, links, sharing);
        memory.set_persistence(persistence_.get());
        if (is_one) root_complex.card.expect_buffered();
        for (std::uint32_t port = 0; !is_one && port < links.size(); ++port)
            root_complex.port(port).expect_buffered(persistence_->port(port));
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
    /// What the device at this port is told of; nullptr as above.
    [[nodiscard]] PostedBuffer* posted_buffer(std::uint32_t port) const {
        if (!persistence_ || root_complex.ports() == 1) return persistence_.get();
        return &persistence_->port(port);
    }
    /// Not owned. Before the simulation starts.
    void set_bridge_listener(BridgeListener& listener) { listener_ = &listener; }
    /// Of its cores, to what is behind a bridge; nullptr: it has no bridge.
    [[nodiscard]] StoreCores* stores() const { return stores_.get(); }
    [[nodiscard]] const Clock& clock() const { return config_.clock; }
    /// Software outside has something to do at `at`.
    void wake_at(Cycle at) { wakeup().at(at); }

    [[nodiscard]] std::uint64_t interrupts() const { return interrupts_; }
    [[nodiscard]] bool idle() const {
        return root_complex.idle() && software_->idle() && (!stores_ || stores_->idle());
    }

  private:
    void run(Cycle now) override {
        if (stores_) stores_->run(now);
        software_->run(now);
    }
    [[nodiscard]] Cycle next_task() const override {
        return stores_ ? std::min(stores_->next_due(), software_->next_due()) : software_->next_due();
    }
    void interrupted(Cycle at, std::uint32_t vector) override {
        ++interrupts_;
        const Cycle handled = at + config_.interrupt_latency;
        const std::uint32_t of_bridges = vector - ntb::kFirstVector;
        if (of_bridges >= ntb::kVectors * root_complex.ports()) {
            stop_core(software_->handled_by(vector), handled);
            return software_->interrupt(at, vector);
        }
        if (listener_ == nullptr) return;
        const std::uint32_t number = of_bridges / ntb::kVectors, bit = of_bridges % ntb::kVectors;
        stop_core(listener_->handled_by(number, bit), handled);
        listener_->bridge_interrupted(handled, number, bit);
    }
    /// Whatever the interrupt is for: what its core has stored leaves its write-combining buffers.
    void stop_core(Thread thread, Cycle at) {
        if (!stores_) return;
        stores_->interrupt(driver.core_of(thread), at);
        wakeup().at(at);
    }
    [[nodiscard]] bool rests_until(Cycle due) const override { return software_->next_due() >= due; }

    HostSoftware* software_ = nullptr;    // not owned
    BridgeListener* listener_ = nullptr;  // likewise
    std::unique_ptr<PersistencePath> persistence_;
    std::unique_ptr<StoreCores> stores_;
    std::unique_ptr<StreamHost> streams_;
    std::uint64_t interrupts_ = 0;
};

}  // namespace rnicsim
