// SPDX-License-Identifier: Apache-2.0
// A root port: the lane to one device. What comes up waits here for its cycle; completions and the processor's accesses
// go down. Memory, interrupts and the order among ports are the root complex's.
//
// What is due at a port in the same cycle is done in this order: reads and completions that had to wait for earlier
// writes, by time; what comes up the link, in its order, a completion at the end of its time included; what cores have
// sent, in their order, and cores that wait for a place there; loads whose time is over.
//
// A completion does not pass stores that cores had given to the port before the memory was read, unless its ordering is
// relaxed (PCI Express Base Specification 2.4.1): what is read may say that they have been made.
#pragma once

#include "model/host/port_config.h"
#include "model/rnic/common/config.h"
#include "tlm/horizon.h"
#include "tlm/inbox.h"
#include "tlm/pcie/pcie_direction.h"
#include "tlm/pcie/pcie_socket.h"
#include "tlm/pcie/posted_buffer.h"
#include "tlm/pcie/posted_gate.h"
#include "tlm/pcie/posted_target.h"
#include "tlm/ring.h"
#include "tlm/wakeup.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <systemc>
#include <vector>

namespace rnicsim {

class RootComplex;

/// A core that loads from a device.
class LoadTarget {
  public:
    virtual ~LoadTarget() = default;
    /// The bytes, valid during the call, are at the core at `at`: told `RootPortConfig::down` before that. All ones if
    /// nothing is there, or nothing has come in time.
    virtual void loaded(Time at, std::uint64_t context, std::span<const std::uint8_t> bytes) = 0;
};
/// A core that waits to store.
class PlaceTarget {
  public:
    virtual ~PlaceTarget() = default;
    /// It is its turn: it may store once, during the call. For more it has to ask again.
    virtual void place_free(Cycle now) = 0;
};
struct Loader {
    LoadTarget* core = nullptr;  ///< not owned
    std::uint64_t context = 0;   ///< its own
};

/// At most kMostPosted.
[[nodiscard]] std::span<const std::uint8_t> all_ones(std::uint32_t bytes);

class RootPort : public sc_core::sc_module {
  public:
    /// `link`: the PCIe parameters of the device below, also those of its link.
    RootPort(sc_core::sc_module_name name, const PcieConfig& link, const RootPortConfig& config, PciePool& pool,
             RootComplex& host, ClockedWakeup& wakeup, const Horizon& horizon);

    PcieTargetSocket<RootPort> upstream{"upstream"};
    PcieInitiatorSocket<RootPort> downstream{"downstream"};

    /// Posted requests come through a PostedBuffer: what it says of them counts (TlpExtension::left).
    void expect_buffered() { buffered_ = true; }
    /// The same of one of several links into the host: it is asked when something should have come. Not owned.
    void expect_buffered(PostedBuffer& of_several) {
        buffered_ = true;
        arrivals_ = &of_several;
    }
    /// Hears of each MWr of the device. Not owned.
    void set_posted_target(PostedTarget& target) { posted_target_ = &target; }
    struct Posted {
        std::uint64_t tlps = 0, bytes = 0;  ///< bytes of payload
    };
    /// Stores that have left; MWr that a device with such a target has sent.
    [[nodiscard]] const Posted& stores_sent() const { return stores_sent_; }
    [[nodiscard]] const Posted& writes_taken() const { return writes_taken_; }
    /// Acts on what is due first, at next_due().
    void deliver_next(Cycle now);
    /// ... and on all else that is due.
    void deliver(Cycle now) {
        while (next_due() <= now) deliver_next(now);
    }
    /// A posted MWr down the link, at most kMostPosted bytes. It leaves now.
    void write(Cycle now, std::uint64_t address, std::span<const std::uint8_t> bytes);
    /// Is there a place for a store, and does nobody wait for it? Else the core is told when it is its turn, first
    /// come, first served.
    [[nodiscard]] bool has_place(Cycle now, PlaceTarget& core);
    /// Of a core: the MWr leaves `down` later, or when the link is free and the device has credits. `now`: not before
    /// that of the previous access of a core. Precondition: there is a place.
    void store(Cycle now, std::uint64_t address, std::span<const std::uint8_t> bytes);
    /// The same: a MRd, behind the stores, without a place or credits.
    void load(Cycle now, std::uint64_t address, std::uint32_t bytes, const Loader& loader, TlpAttributes attributes);

    /// Credits of the device below, for what cores store. Before the simulation. Not owned.
    void set_gate(PostedGate& gate) { gate_ = &gate; }
    /// What the device has to do by now, it does before the host.
    void let_device_act(Cycle now) {
        if (gate_ != nullptr) gate_->act_before_host(wakeup_.clock().time(now));
    }
    /// There are more from `now` on: what has been kept tries again then, but at the next edge at the earliest. Not
    /// before the previous call's.
    void credits_back(Cycle now);

    [[nodiscard]] Cycle next_due() const { return std::min(link_due(), next_other_); }
    [[nodiscard]] bool idle() const { return from_device_.empty() && waiting_.empty() && quiet(); }
    /// Loads that were given up; and completions that came later, which are dropped.
    [[nodiscard]] std::uint64_t timeouts() const { return timeouts_; }
    [[nodiscard]] std::uint64_t late_completions() const { return late_completions_; }

  private:
    tlm::tlm_sync_enum from_device(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay);
    /// The cycle in which the last TLP of a transaction arrives.
    struct Moment {
        Cycle cycle;
        sc_core::sc_time ahead;  ///< of the kernel's time
    };
    /// What comes up the link next.
    [[nodiscard]] Cycle link_due() const { return std::max(from_device_.next_due(), stopped_until_); }
    void serve_link(Cycle now) {
        if (arrivals_ == nullptr || has_arrived(now)) serve({now, sc_core::SC_ZERO_TIME}, *from_device_.pop());
    }
    [[nodiscard]] bool has_arrived(Cycle now);
    void tell_taken(const Moment& now, const tlm::tlm_generic_payload& transaction, const TlpExtension& extension);
    void serve(const Moment& now, tlm::tlm_generic_payload& transaction);
    void complete(const Moment& now, tlm::tlm_generic_payload& transaction, TlpExtension& extension);
    void send_completion(const Moment& now, tlm::tlm_generic_payload& transaction, Time ready);
    void interrupt(const Moment& now, const tlm::tlm_generic_payload& msi, const TlpExtension& extension);
    void write_elsewhere(const Moment& now, const tlm::tlm_generic_payload& transaction, const TlpExtension& extension);
    [[nodiscard]] TlpCount answer_nothing(const tlm::tlm_generic_payload& transaction);
    void wait(Cycle due, tlm::tlm_generic_payload& transaction);
    void serve_waiting();
    void serve_other(Cycle now);
    void set_next_other();

    // Accesses of cores.
    struct Access {
        tlm::tlm_generic_payload* transaction = nullptr;
        Loader loader;  // none: a store
    };
    struct Load {  // by tag; without a transaction: the tag is free
        Access access;
        std::uint64_t number = 0;
        std::uint32_t bytes = 0;  // who drops it may have given its transaction back
    };
    struct Deadline {
        std::uint32_t tag = 0;
        std::uint64_t number = 0;  // of its load: else that is over
    };
    void take_from_cores(tlm::tlm_generic_payload& transaction, const Loader& loader, Cycle now);
    void act_for_cores(Cycle now);
    void send_from_core(Cycle now);
    [[nodiscard]] bool may_leave(const tlm::tlm_generic_payload& store, Time begin);
    [[nodiscard]] bool a_place_is_free(Cycle now);
    void set_next_of_cores();
    void send_down(Cycle now, tlm::tlm_generic_payload& transaction, std::uint32_t link_bytes);
    void send_load(Cycle now, const Access& access);
    void load_done(Cycle now, tlm::tlm_generic_payload& completion);
    void load_over(Cycle now, std::uint32_t tag, std::span<const std::uint8_t> bytes);
    void time_out(Cycle now);
    tlm::tlm_sync_enum completes(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    [[nodiscard]] bool quiet() const {
        return from_cores_.empty() && wait_for_place_.empty() && free_tags_.size() == loads_.size();
    }

    const RootPortConfig config_;
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
    Cycle next_other_ = kNever;  // of all but from_device_
    bool buffered_ = false;
    PostedBuffer* arrivals_ = nullptr;       // not owned; of several links
    PostedTarget* posted_target_ = nullptr;  // not owned
    Posted stores_sent_, writes_taken_;
    Cycle stopped_until_{};  // that has stopped the link

    PostedGate* gate_ = nullptr;  // not owned
    Inbox<Access> from_cores_;    // on their way to the port, and there
    bool no_credits_ = false;     // for the first of them
    Ring<Cycle> more_credits_;    // from then on
    std::uint64_t stores_ = 0;    // of cores, those that have left among them
    struct Behind {
        std::uint64_t stores = 0;  // so many
        tlm::tlm_generic_payload* transaction = nullptr;
        Time ready;
    };
    Ring<Behind> completions_;  // that wait for stores
    std::uint32_t kept_ = 0;    // places of stores
    Ring<Cycle> leaves_;        // from then on a place less
    Ring<PlaceTarget*> wait_for_place_;
    Cycle next_of_cores_ = kNever;
    Ring<Access> no_tag_;  // loads that have come to the port
    std::vector<Load> loads_;
    std::vector<std::uint32_t> free_tags_;
    Inbox<Deadline> deadlines_;  // in the order of the loads
    std::uint64_t load_numbers_ = 0, timeouts_ = 0, late_completions_ = 0;
};

}  // namespace rnicsim
