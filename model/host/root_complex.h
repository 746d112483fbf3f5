// SPDX-License-Identifier: Apache-2.0
// Root complex: upstream TLPs go to memory or to the processor; completions and doorbells go downstream.
#pragma once

#include "model/rnic/common/config.h"
#include "tlm/horizon.h"
#include "tlm/inbox.h"
#include "tlm/pcie/pcie_direction.h"
#include "tlm/pcie/pcie_socket.h"
#include "tlm/wakeup.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <systemc>
#include <vector>

namespace rnicsim {

/// The processor, as the root complex sees it.
class InterruptTarget {
  public:
    virtual ~InterruptTarget() = default;
    /// An MSI arrives at `now`; behind a bridge it reaches the processor later.
    virtual void interrupt(Cycle now, std::uint32_t vector) = 0;
    /// Is software idle before `due`, whatever other modules do until then?
    [[nodiscard]] virtual bool rests_until(Cycle due) const = 0;
};

class RootComplex : public sc_core::sc_module {
  public:
    /// `link`: the PCIe parameters of the device below, also those of its link.
    RootComplex(sc_core::sc_module_name name, const PcieConfig& link, PciePool& pool, InterruptTarget& processor,
                ClockedWakeup& wakeup, const Horizon& horizon);

    PcieTargetSocket<RootComplex> upstream{"upstream"};
    PcieInitiatorSocket<RootComplex> downstream{"downstream"};
    tlm_utils::simple_initiator_socket<RootComplex> memory{"memory"};

    /// Posted requests come through a PostedBuffer: what it says of them counts (TlpExtension::left).
    void expect_buffered() { buffered_ = true; }
    /// Acts on the TLPs that are due, in the order of the link.
    void deliver(Cycle now);
    /// The processor writes to the device's registers: a posted MWr down the link, at most kMostPosted bytes.
    void write_register(Cycle now, std::uint64_t offset, std::span<const std::uint8_t> bytes);

    [[nodiscard]] Cycle next_due() const { return std::min(from_device_.next_due(), next_waiting_); }
    [[nodiscard]] bool idle() const { return from_device_.empty() && waiting_.empty(); }
    /// Requests outside the memory: answered as unsupported requests; the scoreboard reports them.
    [[nodiscard]] std::uint64_t unsupported() const { return unsupported_; }

  private:
    tlm::tlm_sync_enum from_device(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay);
    /// The cycle in which the last TLP of a transaction arrives.
    struct Moment {
        Cycle cycle;
        sc_core::sc_time ahead;  ///< of the kernel's time
    };
    void serve(const Moment& now, tlm::tlm_generic_payload& transaction);
    void complete(const Moment& now, tlm::tlm_generic_payload& transaction, TlpExtension& extension);
    void wait(Cycle due, tlm::tlm_generic_payload& transaction);
    void serve_waiting();
    sc_core::sc_time access(const Moment& now, tlm::tlm_generic_payload& transaction);

    const PcieConfig link_;
    PciePool& pool_;
    InterruptTarget& processor_;
    ClockedWakeup& wakeup_;
    const Horizon& horizon_;
    PcieDirection direction_;
    Inbox<tlm::tlm_generic_payload*> from_device_;
    struct WaitingRead {
        Cycle due;
        tlm::tlm_generic_payload* transaction = nullptr;
    };
    std::vector<WaitingRead> waiting_;  // for writes before them, by time
    Cycle next_waiting_ = kNever;
    std::uint64_t unsupported_ = 0;
    bool buffered_ = false;
};

}  // namespace rnicsim
