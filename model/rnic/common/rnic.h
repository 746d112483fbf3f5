// SPDX-License-Identifier: Apache-2.0
// What every RNIC has: a PCIe endpoint, a MAC, and one process that drives all of its blocks. The protocol between the
// two is what derives from it: model/rnic/drp/drp_rnic.h, model/rnic/rc/rc_rnic.h.
//
// The process runs only in cycles in which something is due. Input from another process was handed over before the
// cycle began (frame_socket.h), so nothing depends on the order in which the kernel runs processes.
#pragma once

#include "model/rnic/common/gmac.h"
#include "model/rnic/common/pcie_endpoint.h"
#include "tlm/horizon.h"
#include "tlm/wakeup.h"

#include <memory>
#include <systemc>

namespace rnicsim {

class Rnic : public sc_core::sc_module, private RegisterTarget {
  public:
    /// How far it may run ahead of the kernel's time. `lookahead`: the least time from a cycle to the first one in
    /// which another module can reach the RNIC; 1 cycle: not at all. The horizon is not owned.
    struct Ahead {
        Cycle lookahead{1};
        const Horizon& horizon;
    };

    /// The cycle of its last step, which may be ahead of the kernel's time.
    [[nodiscard]] Cycle now() const { return now_; }
    [[nodiscard]] std::uint64_t activations() const { return wakeup_.activations(); }

  protected:
    struct Blocks {
        std::unique_ptr<DmaEngine> dma;
        std::unique_ptr<MacEngine> mac;
    };
    Rnic(sc_core::sc_module_name name, const Clock& clock, const PcieConfig& pcie, Blocks blocks, const Ahead& ahead,
         PciePool& transactions);

    // What the protocol does.
    /// All that is due in this cycle, each block in its turn.
    virtual void cycle(Cycle now) = 0;
    /// What is due next. A deadline is far away and mostly moved on.
    struct Due {
        Cycle work;
        Cycle deadline;
    };
    /// After cycle(now); neither has passed.
    virtual Due next_due(Cycle now) = 0;
    /// The host writes to BAR 0.
    void register_write(Cycle now, std::uint64_t offset, std::span<const std::uint8_t> bytes) override = 0;

    /// Input has come: it has to act by `due`.
    void wake_at(Cycle due) { wakeup_.at(due); }
    /// Not before the kernel's time, nor before what it has done ahead of that.
    [[nodiscard]] Cycle present() const { return std::max(now_, wakeup_.now()); }

  private:
    const Ahead ahead_;
    Cycle now_{-1};
    ClockedWakeup wakeup_;  // work
    ClockedWakeup timers_;  // protocol timers: far away and mostly moved on. In an event of their own, or the kernel's
                            // queue would fill with notifications cancelled by nearer work.

  public:
    PcieEndpoint pcie;
    Gmac gmac;

  private:
    void wake();
    void sleep(const Due& due);
};

}  // namespace rnicsim
