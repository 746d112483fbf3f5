// SPDX-License-Identifier: Apache-2.0
// Root complex: what comes up its ports goes to memory or to the processor; what the processor writes to a device goes
// down the port of that device.
#pragma once

#include "model/host/root_port.h"
#include "tlm/pcie/address_map.h"

#include <algorithm>
#include <cstdint>
#include <memory>
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
    /// Has one port, to the host's card. `link`: as a port has it. `ports`: of all ports.
    RootComplex(sc_core::sc_module_name name, const PcieConfig& link, PciePool& pool, InterruptTarget& processor,
                ClockedWakeup& wakeup, const Horizon& horizon, const RootPortConfig& ports = {});

    tlm_utils::simple_initiator_socket<RootComplex> memory{"memory"};
    /// To the host's card.
    RootPort card;
    /// Before the simulation starts. Ports with something due in a cycle act in their order, the card's first; with
    /// more than one, none acts ahead of time.
    RootPort& add_port(const PcieConfig& link);
    /// The card's is number 0. Precondition: it is there.
    [[nodiscard]] RootPort& port(std::uint32_t number) { return number == 0 ? card : *more_[number - 1]; }

    [[nodiscard]] std::size_t ports() const { return more_.size() + 1; }

    /// Has the card's BAR 0. Who owns the memory and the other devices adds them before the simulation starts.
    AddressMap map;

    /// Acts on the TLPs that are due, in the order of time.
    void deliver(Cycle now);
    /// The processor writes to the card's registers, at most kMostPosted bytes.
    void write_register(Cycle now, std::uint64_t offset, std::span<const std::uint8_t> bytes);
    /// May a core store to this device now? As RootPort::has_place(). Where nothing is there always is a place.
    [[nodiscard]] bool has_place(Cycle now, std::uint64_t address, std::uint32_t bytes, PlaceTarget& core);
    /// A core stores to a device, 1..kMostPosted bytes: each TLP goes where the map has all of it. Precondition of
    /// all three: not DRAM, which cores reach without a root port. Precondition: there is a place for each TLP.
    void write(Cycle now, std::uint64_t address, std::span<const std::uint8_t> bytes);
    /// A core loads from a device, 1..kMostPosted bytes, not across a multiple of kMostPosted: one MRd. Where nothing
    /// is the core hears of it before this returns.
    void read(Cycle now, std::uint64_t address, std::uint32_t bytes, const Loader& loader,
              TlpAttributes attributes = {});

    [[nodiscard]] Cycle next_due() const { return more_.empty() ? card.next_due() : first_due_cycle(); }
    [[nodiscard]] bool idle() const {
        return card.idle() && std::ranges::all_of(more_, [](const auto& port) { return port->idle(); });
    }
    /// TLPs to where nothing is, up or down: writes are dropped, reads get all ones. From one device to another's BAR,
    /// too: a root complex need not pass them on (PCI Express Base Specification 1.3.1). The scoreboard reports them.
    [[nodiscard]] std::uint64_t unsupported() const { return unsupported_; }

  private:
    // For its ports.
    friend RootPort;
    /// Accesses the memory, `ahead` of the kernel's time. Returns how long that takes.
    sc_core::sc_time access(sc_core::sc_time ahead, tlm::tlm_generic_payload& transaction) {
        sc_core::sc_time done = ahead;
        memory->b_transport(transaction, done);
        return done - ahead;
    }
    void count_unsupported(std::uint32_t tlps) { unsupported_ += tlps; }
    void interrupt(Cycle now, std::uint32_t vector) { processor_.interrupt(now, vector); }
    /// Can nothing come before `due`, up another port or by the host's own doing?
    [[nodiscard]] bool rests_until(Cycle due) const { return more_.empty() && processor_.rests_until(due); }

    [[nodiscard]] const AddressRange* bar_at(std::uint64_t address, std::uint32_t bytes) const;
    [[nodiscard]] Cycle first_due_cycle() const;
    [[nodiscard]] RootPort& first_due();

    PciePool& pool_;
    const RootPortConfig ports_;
    InterruptTarget& processor_;
    ClockedWakeup& wakeup_;
    const Horizon& horizon_;
    std::vector<std::unique_ptr<RootPort>> more_;  // beside the card's
    std::uint64_t unsupported_ = 0;
};

}  // namespace rnicsim
