// SPDX-License-Identifier: Apache-2.0
// A root port: the lane to one device. What comes up waits here for its cycle; completions and the processor's writes
// go down. Memory, interrupts and the order among ports are the root complex's.
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

class RootComplex;

class RootPort : public sc_core::sc_module {
  public:
    /// `link`: the PCIe parameters of the device below, also those of its link.
    RootPort(sc_core::sc_module_name name, const PcieConfig& link, PciePool& pool, RootComplex& host,
             ClockedWakeup& wakeup, const Horizon& horizon);

    PcieTargetSocket<RootPort> upstream{"upstream"};
    PcieInitiatorSocket<RootPort> downstream{"downstream"};

    /// Posted requests come through a PostedBuffer: what it says of them counts (TlpExtension::left).
    void expect_buffered() { buffered_ = true; }
    /// Acts on what is due first, at next_due().
    void deliver_next(Cycle now);
    /// ... and on all else that is due.
    void deliver(Cycle now) {
        while (next_due() <= now) deliver_next(now);
    }
    /// A posted MWr down the link, at most kMostPosted bytes.
    void write(Cycle now, std::uint64_t address, std::span<const std::uint8_t> bytes);

    [[nodiscard]] Cycle next_due() const { return std::min(from_device_.next_due(), next_waiting_); }
    [[nodiscard]] bool idle() const { return from_device_.empty() && waiting_.empty(); }

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
    void interrupt(const Moment& now, const tlm::tlm_generic_payload& msi, const TlpExtension& extension);
    void write_elsewhere(const Moment& now, const tlm::tlm_generic_payload& transaction, const TlpExtension& extension);
    [[nodiscard]] TlpCount answer_nothing(const tlm::tlm_generic_payload& transaction);
    void wait(Cycle due, tlm::tlm_generic_payload& transaction);
    void serve_waiting();

    const PcieConfig link_;
    PciePool& pool_;
    RootComplex& host_;
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
    bool buffered_ = false;
};

}  // namespace rnicsim
