// Gigabit MAC with GMII: one byte a cycle, preamble and SFD, padding, FCS, inter-packet gap; full duplex.
#pragma once

#include "model/rnic/config.h"
#include "tlm/frame_socket.h"

#include <cstdint>
#include <systemc>

namespace rnicsim {

class Gmac : public sc_core::sc_module, public FrameTransport {
  public:
    Gmac(sc_core::sc_module_name name, const GmacConfig& config);

    FrameOut wire_out{"wire_out"};
    FrameIn wire_in{"wire_in"};
    FrameOut received{"received"};  ///< good frames, after the receive latency

    /// First cycle in which transmit() may be called.
    [[nodiscard]] Cycle ready_at() const { return ready_at_; }

    /// Starts a frame: the first preamble byte is on the wire `tx_latency` later, or as soon as the gap after the frame
    /// before has passed. Precondition: now >= ready_at(). Computes the FCS. Returns the cycle after the last byte.
    Cycle transmit(FrameRef frame, Cycle now);

    /// A frame from the wire; its last byte came in the cycle before `due`. Store and forward.
    void put(FrameRef frame, Cycle due) override;

    struct Counters {
        std::uint64_t tx_frames = 0, tx_bytes = 0, rx_frames = 0, rx_bytes = 0, rx_bad_fcs = 0, rx_runt = 0,
                      rx_oversize = 0;
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    const GmacConfig config_;
    Cycle ready_at_;
    Cycle wire_free_at_;
    Counters counters_;
};

}  // namespace rnicsim
