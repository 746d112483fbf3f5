// SPDX-License-Identifier: Apache-2.0
// One side of a bridge: a device below a root port of its host. What the host sends goes to registers here, or through
// a window into the other host's memory.
#pragma once

#include "model/host/root_port.h"
#include "model/ntb/config.h"
#include "model/ntb/credits.h"
#include "model/ntb/registers.h"
#include "tlm/inbox.h"
#include "tlm/pcie/pcie_direction.h"
#include "tlm/pcie/pcie_socket.h"
#include "tlm/pcie/posted_buffer.h"
#include "tlm/pcie/posted_gate.h"
#include "tlm/pcie/posted_target.h"
#include "tlm/taps.h"

#include <cstdint>
#include <optional>
#include <span>
#include <systemc>

namespace rnicsim::ntb {

/// What has gone from one side to the other, or has not. Bytes are of payload.
struct Crossed {
    std::uint64_t register_writes = 0, register_bytes = 0;  ///< TLPs that came from the host, to registers
    std::uint64_t writes = 0, write_bytes = 0;              ///< TLPs that came from the host, to a window's BAR
    std::uint64_t partial = 0;                              ///< of those: less than a line
    std::uint64_t delivered = 0, delivered_bytes = 0;
    std::uint64_t refused = 0;        ///< of those: no window took them
    std::uint64_t lost = 0;           ///< ... they came while the link was down
    std::uint64_t reads = 0;          ///< the same: loads of the host from the other side's memory
    std::uint64_t unsupported = 0;    ///< TLPs of any kind that no window took, and accesses to no register
    std::uint64_t dropped = 0;        ///< TLPs of any kind that came while the link was down
    std::uint64_t doorbells = 0;      ///< that the other side has got
    std::uint64_t interrupts = 0;     ///< of the other host, for whatever reason
    std::uint64_t credit_stalls = 0;  ///< TLPs that had to wait for credits
    friend bool operator==(const Crossed&, const Crossed&) = default;
};

class Bridge;

/// Takes what a host sends down its port, and hands it to the other host's port.
class Side : public sc_core::sc_module, private PostedGate, private PostedTarget {
  public:
    Side(sc_core::sc_module_name name, Bridge& bridge, unsigned number);

    PcieTargetSocket<Side> downstream{"downstream"};
    PcieInitiatorSocket<Side> upstream{"upstream"};

    /// Joins it to a port of its host, which has this link and this clock, and puts its BARs there. Before the
    /// simulation starts.
    void join(RootComplex& host, std::uint32_t port, const Clock& clock);
    /// Turns a window on, all of it: its first byte is `there` at the other side. Before the simulation starts.
    void open(std::uint32_t window, std::uint64_t there) { registers_.open(window, there); }
    /// Of its host: not owned; nullptr: none.
    void set_posted_buffer(PostedBuffer* buffer) { buffer_ = buffer; }
    /// The host has heard of this bit: the next time that it is set it is interrupted again. In no time.
    void acknowledge(std::uint32_t bit) { registers_.acknowledge(bit); }
    /// The vector of doorbell 0; the others follow.
    void set_first_vector(std::uint32_t vector) { first_vector_ = vector; }

    /// Address of a register, or of a window's first byte, for its host.
    [[nodiscard]] std::uint64_t registers_at() const { return registers_at_; }
    [[nodiscard]] std::uint64_t window_at(std::uint32_t window) const { return registers_.windows()[window].base; }
    [[nodiscard]] const Registers& registers() const { return registers_; }
    /// From here to the other side.
    [[nodiscard]] const Crossed& crossed() const { return crossed_; }
    /// Of what this host has sent, that are neither back nor on their way.
    [[nodiscard]] Credits::Amount credits_out() const { return credits_.out(); }
    [[nodiscard]] const RootPort& port() const { return *port_; }
    [[nodiscard]] bool idle() const { return crossing_.empty() && answers_.empty(); }

  private:
    friend Bridge;
    struct Tlp {
        tlm::tlm_generic_payload* transaction = nullptr;
        TlpExtension* extension = nullptr;  // its own
    };

    tlm::tlm_sync_enum from_host(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    tlm::tlm_sync_enum completed(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    // PostedGate
    bool take(Time now, std::uint32_t tlps, std::uint32_t bytes) override;
    void act_before_host(Time now) override;
    // PostedTarget
    void taken(Time left, std::uint32_t tlps, std::uint32_t bytes) override;

    [[nodiscard]] Time next_due() const;
    void act(Time now);
    // What comes from its host.
    void cross(Time now, const Tlp& of);
    void write(Time now, const Tlp& of);
    void load(Time now, const Tlp& of);
    void write_register(Time now, std::uint64_t at, std::span<const std::uint8_t> bytes);
    void answer(Time now, const Tlp& of, bool there);
    [[nodiscard]] bool is_register(std::uint64_t address) const {
        return address >= registers_at_ && address - registers_at_ < kRegisterBytes;
    }
    [[nodiscard]] std::optional<std::uint64_t> translate(std::uint64_t address, std::uint32_t bytes,
                                                         std::uint32_t tlps);
    // What goes up to it.
    void complete_load(Time now, const Tlp& of);
    void deliver(const Tlp& of);
    void deliver_write(Time now, const Tlp& of);
    void deliver_read(Time now, const Tlp& of);
    void interrupt(Time now, std::uint32_t bit);

    void wait_until(Time at);
    // For the observer, if there is one.
    [[nodiscard]] Observer::Crossing way() const;
    void report_sent(tlm::tlm_generic_payload& transaction, Time arrives) const;
    void report(const Tlp& of, Observer::Crossed how) const;
    [[nodiscard]] Side& other();

    Bridge& bridge_;
    const unsigned number_;
    RootPort* port_ = nullptr;        // not owned
    PostedBuffer* buffer_ = nullptr;  // not owned
    Clock clock_ = kGmiiClock;        // of its host
    std::uint64_t registers_at_ = 0;
    std::uint32_t first_vector_ = 0;
    Registers registers_;
    Crossed crossed_;
    Inbox<Tlp> crossing_;  // from this host, and completions that it gives
    Inbox<Tlp> answers_;   // of registers, to this host
    PcieDirection answering_;
    // What this host may send: of the other side's buffer.
    Credits credits_;
    bool lacks_ = false;          // it waits for some, and none are on their way
    Time retry_at_ = kEndOfTime;  // the port is told then
    Time rate_free_{};            // at the rate of the payload
};

}  // namespace rnicsim::ntb
