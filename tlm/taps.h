// SPDX-License-Identifier: Apache-2.0
// Observation points between two sockets: they pass everything on, at no simulated time, and report it to an observer.
// A system without observer has no taps, and no cost.
#pragma once

#include "tlm/ethernet/frame_socket.h"
#include "tlm/pcie/pcie_socket.h"
#include "tlm/wakeup.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

namespace rnicsim {

class Observer {
  public:
    virtual ~Observer() = default;
    /// A device of host `end` reads or writes memory now. Called before the access.
    virtual void memory_access(unsigned end, const tlm::tlm_generic_payload& transaction) = 0;
    /// The RNIC of `end` hands a DMA transaction to its link; it takes effect at the other end at `due`.
    virtual void upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Time due) = 0;
    /// The RNIC of `end` puts a frame on the wire; its last byte has left at `left`.
    virtual void frame_sent(unsigned end, const Frame& frame, Time left) = 0;
    /// The same to the host itself, inside its RNIC: no link carries it, and it always arrives.
    virtual void frame_looped(unsigned /*end*/, const Frame& /*frame*/, Time /*left*/) {}
    /// One direction of a link, by the numbers of its nodes: hosts first, then switches.
    struct Hop {
        unsigned from = 0, to = 0;
    };
    /// The link delivers the frame: its last byte has arrived at the other end at `arrived`. Or it loses the frame.
    virtual void frame_carried(const Hop& /*hop*/, const Frame& /*frame*/, Time /*arrived*/) {}
    virtual void frame_lost(const Hop& /*hop*/, const Frame& /*frame*/, Time /*left*/) {}
    /// The link delivers it with a wrong bit.
    virtual void frame_damaged(const Hop& /*hop*/, const Frame& /*sent*/, const Frame& /*damaged*/, Time /*arrived*/) {}
    /// One direction of a bridge, by the numbers of the bridge and of its hosts.
    struct Crossing {
        unsigned bridge = 0, from = 0, to = 0;
    };
    /// The host's port puts a TLP on the link; its last byte has left at `left`.
    virtual void bridge_sent(const Crossing& /*way*/, tlm::tlm_generic_payload& /*transaction*/, Time /*left*/) {}
    /// What becomes of it now; delivered: with its address at the other side, to whose port it goes.
    enum class Crossed : std::uint8_t { delivered, taken_by_registers, refused, dropped };
    virtual void bridge_crossed(const Crossing& /*way*/, tlm::tlm_generic_payload& /*transaction*/, Crossed /*how*/) {}
    /// The other side has room again, at `taken`, for so many MWr of the direction, with so many bytes together; their
    /// sender has its credits back at `back`.
    virtual void bridge_credits(const Crossing& /*way*/, std::uint32_t /*tlps*/, std::uint32_t /*bytes*/,
                                Time /*taken*/, Time /*back*/) {}
    /// The link of the bridge with this number goes down, or up again.
    virtual void bridge_link(unsigned /*bridge*/, bool /*up*/) {}
    /// A switch drops the frame, which has arrived at `arrived`, instead of forwarding it.
    virtual void frame_dropped(unsigned /*node*/, const Frame& /*frame*/, Time /*arrived*/) {}
};

class FrameTap : public sc_core::sc_module, public FrameTransport {
  public:
    FrameTap(sc_core::sc_module_name name, unsigned end, Observer& observer)
        : sc_module(name), end_(end), observer_(observer) {
        in.bind(*this);
    }

    FrameIn in{"in"};
    FrameOut out{"out"};

    void put(FrameRef frame, Time end) override {
        observer_.frame_sent(end_, *frame, end);
        out->put(std::move(frame), end);
    }

  private:
    unsigned end_;
    Observer& observer_;
};

class MemoryTap : public sc_core::sc_module {
  public:
    MemoryTap(sc_core::sc_module_name name, unsigned end, Observer& observer)
        : sc_module(name), end_(end), observer_(observer) {
        in.register_b_transport(this, &MemoryTap::access);
    }

    tlm_utils::simple_target_socket<MemoryTap> in{"in"};
    tlm_utils::simple_initiator_socket<MemoryTap> out{"out"};

  private:
    void access(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
        observer_.memory_access(end_, transaction);
        out->b_transport(transaction, delay);
    }

    unsigned end_;
    Observer& observer_;
};

/// On the upstream path of a PCIe link: requests forward, completions backward.
class PcieTap : public sc_core::sc_module {
  public:
    PcieTap(sc_core::sc_module_name name, unsigned end, Observer& observer)
        : sc_module(name), end_(end), observer_(observer) {
        in.register_nb_transport_fw(this, &PcieTap::forward);
        out.register_nb_transport_bw(this, &PcieTap::backward);
    }

    PcieTargetSocket<PcieTap> in{"in"};
    PcieInitiatorSocket<PcieTap> out{"out"};

  private:
    tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
        observer_.upstream_tlp(end_, transaction, current_time() + to_time(delay));
        return out->nb_transport_fw(transaction, phase, delay);
    }
    tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
        return in->nb_transport_bw(transaction, phase, delay);
    }

    unsigned end_;
    Observer& observer_;
};

}  // namespace rnicsim
