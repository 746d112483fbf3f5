// SPDX-License-Identifier: Apache-2.0
// The MAC of an RNIC: sockets and counters around the engine that serialises, pads and checks frames.
#pragma once

#include "model/rnic/common/core_border.h"
#include "model/rnic/common/mac_engine.h"
#include "tlm/ethernet/frame_socket.h"
#include "tlm/time/clock.h"

#include <cstdint>
#include <memory>
#include <systemc>

namespace rnicsim {

class Gmac : public sc_core::sc_module, public FrameTransport {
  public:
    /// `clock`: of the RNIC, in whose cycles the engine works.
    Gmac(sc_core::sc_module_name name, const Clock& clock, std::unique_ptr<MacEngine> engine);

    FrameOut wire_out{"wire_out"};
    FrameIn wire_in{"wire_in"};
    ClockedFrameOut received{"received"};  ///< good frames, after the receive latency

    /// First cycle in which transmit() may be called.
    [[nodiscard]] Cycle ready_at() const { return ready_at_; }

    /// Starts a frame. Precondition: now >= ready_at(). Returns the cycle after the last byte.
    Cycle transmit(FrameRef frame, Cycle now);

    /// A frame from the wire; it is taken at the first clock edge at or after the end of its last byte. Store and
    /// forward.
    void put(FrameRef frame, Time end) override;

    /// Not owned; nullptr = none.
    void set_observer(MacObserver* observer) { observer_ = observer; }

    struct Counters {
        std::uint64_t tx_frames = 0, tx_bytes = 0, rx_frames = 0, rx_bytes = 0, rx_bad_fcs = 0, rx_runt = 0,
                      rx_oversize = 0;
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    const Clock clock_;
    std::unique_ptr<MacEngine> engine_;
    MacObserver* observer_ = nullptr;  // not owned
    Cycle ready_at_;
    Counters counters_;
};

}  // namespace rnicsim
