// SPDX-License-Identifier: Apache-2.0
// A host: root complex and memory; what runs on it derives from this. One process drives them in a fixed order.
#pragma once

#include "model/host/memory.h"
#include "model/host/pci_bridge.h"
#include "model/host/root_complex.h"
#include "tlm/wakeup.h"

#include <algorithm>
#include <memory>
#include <systemc>
#include <tlm>

namespace rnicsim {

class Host : public sc_core::sc_module, private InterruptTarget {
  public:
    /// Where devices reach the memory: directly, or through the bridge.
    [[nodiscard]] tlm::tlm_target_socket<>& memory_port() {
        if (bridge_) return bridge_->in;
        return memory.port;
    }
    /// nullptr = none.
    [[nodiscard]] const PciBridge* bridge() const { return bridge_.get(); }
    [[nodiscard]] std::uint64_t activations() const { return wakeup_.activations(); }

  protected:
    struct Hardware {
        MemoryConfig memory;
        BridgeConfig bridge;
        PcieConfig pcie;  ///< of the slot's link; its times in cycles of `clock`
        RootPortConfig root_port;
        Clock clock;
        std::uint64_t memory_bytes = 0;
    };
    /// The memory port of the root complex is left open: the end system binds it, directly or through a tap.
    Host(sc_core::sc_module_name name, const Hardware& hardware, PciePool& transactions, const Horizon& horizon)
        : sc_module(name),
          wakeup_("wakeup", hardware.clock),
          memory("memory", hardware.memory, hardware.clock, hardware.memory_bytes),
          root_complex("root_complex", hardware.pcie, transactions, *this, wakeup_, horizon, hardware.root_port) {
        SC_HAS_PROCESS(Host);
        SC_METHOD(cycle);
        wakeup_.wakes(sensitive);
        dont_initialize();
        // As on x86: memory that would lie under the devices of 32 bits is not the processor's.
        root_complex.map.add_dram(0, std::min(hardware.memory_bytes, kBar0));
        if (hardware.memory_bytes > kAboveDevices)
            root_complex.map.add_dram(kAboveDevices, hardware.memory_bytes - kAboveDevices);
        if (hardware.bridge.bytes_per_second == 0) return;
        bridge_ = std::make_unique<PciBridge>("bridge", hardware.bridge, hardware.clock);
        bridge_->out.bind(memory.port);
    }

    // What the software does.
    /// All that is due by now.
    virtual void run(Cycle now) = 0;
    [[nodiscard]] virtual Cycle next_task() const = 0;
    virtual void interrupted(Cycle at, std::uint32_t vector) = 0;
    /// InterruptTarget
    [[nodiscard]] bool rests_until(Cycle due) const override = 0;

  private:
    ClockedWakeup wakeup_;
    std::unique_ptr<PciBridge> bridge_;

  public:
    Memory memory;
    RootComplex root_complex;

    /// Tasks may have been planned before the simulation began.
    void start_of_simulation() override { sleep(); }

  protected:
    [[nodiscard]] ClockedWakeup& wakeup() { return wakeup_; }

  private:
    /// An MSI crosses the bridge behind the writes before it.
    void interrupt(Cycle now, std::uint32_t vector) override {
        interrupted(bridge_ ? bridge_->message(now) : now, vector);
    }

    void cycle() {
        const Cycle now = wakeup_.woke();
        root_complex.deliver(now);  // 1. what came up the link
        run(now);                   // 2. software whose time has come
        sleep();
    }

    void sleep() { wakeup_.sleep_until(std::min(root_complex.next_due(), next_task())); }
};

}  // namespace rnicsim
