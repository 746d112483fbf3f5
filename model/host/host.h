// The host: root complex, memory, processor; one process drives them in a fixed order.
#pragma once

#include "model/host/memory.h"
#include "model/host/pci_bridge.h"
#include "model/host/processor.h"
#include "model/host/root_complex.h"
#include "tlm/wakeup.h"

#include <memory>
#include <systemc>
#include <tlm>

namespace rnicsim {

class Host : public sc_core::sc_module, private InterruptTarget {
  public:
    /// `pcie`: parameters of the slot's link. `memory_bytes`: size of the memory.
    /// The memory port of the root complex is left open: the end system binds it, directly or through a tap.
    Host(sc_core::sc_module_name name, const DriverConfig& driver, const PcieConfig& pcie, std::uint64_t memory_bytes,
         PciePool& transactions, const Horizon& horizon)
        : sc_module(name),
          wakeup_("wakeup", driver.host.clock),
          memory("memory", driver.host.memory, driver.host.clock, memory_bytes),
          root_complex("root_complex", pcie, transactions, *this, wakeup_, horizon),
          processor("processor", driver, memory, root_complex, wakeup_) {
        SC_HAS_PROCESS(Host);
        SC_METHOD(cycle);
        wakeup_.wakes(sensitive);
        dont_initialize();
        if (driver.host.bridge.bytes_per_second == 0) return;
        bridge_ = std::make_unique<PciBridge>("bridge", driver.host.bridge, driver.host.clock);
        bridge_->out.bind(memory.port);
    }

    /// Where devices reach the memory: directly, or through the bridge.
    [[nodiscard]] tlm::tlm_target_socket<>& memory_port() {
        if (bridge_) return bridge_->in;
        return memory.port;
    }
    /// nullptr = none.
    [[nodiscard]] const PciBridge* bridge() const { return bridge_.get(); }

    [[nodiscard]] bool idle() const { return root_complex.idle() && processor.idle(); }
    [[nodiscard]] std::uint64_t activations() const { return wakeup_.activations(); }

  private:
    ClockedWakeup wakeup_;
    std::unique_ptr<PciBridge> bridge_;

  public:
    Memory memory;
    RootComplex root_complex;
    Processor processor;

    /// Tasks may have been planned before the simulation began.
    void start_of_simulation() override { sleep(); }

  private:
    /// An MSI crosses the bridge behind the writes before it.
    void interrupt(Cycle now) override { processor.interrupt(bridge_ ? bridge_->message(now) : now); }
    [[nodiscard]] bool rests_until(Cycle due) const override { return processor.rests_until(due); }

    void cycle() {
        const Cycle now = wakeup_.woke();
        root_complex.deliver(now);  // 1. what came up the link
        processor.run(now);         // 2. software whose time has come
        sleep();
    }

    void sleep() { wakeup_.sleep_until(std::min(root_complex.next_due(), processor.next_due())); }
};

}  // namespace rnicsim
