// SPDX-License-Identifier: Apache-2.0
// The way inside a card from its send side to its receive side (V-Q7), for frames to the card's own address. They take
// their turn with those for the port, and the port's rate; no MAC and no link sees them.
#pragma once

#include "model/rnic/rc/packet_receiver.h"
#include "tlm/ethernet/frame.h"
#include "tlm/time/clock.h"
#include "tlm/time/mac_timing.h"

#include <cstdint>

namespace rnicsim::rc {

class LoopbackObserver {
  public:
    virtual ~LoopbackObserver() = default;
    /// The last byte has left the send side at `left`; the receive side will have it.
    virtual void frame_looped(const Frame& frame, Time left) = 0;
};

class Loopback {
  public:
    /// `latency`: the last byte has left the send side -> the frame has come as one from the MAC would have.
    Loopback(const MacTiming& wire, const Clock& clock, Cycle latency, PacketReceiver& receiver)
        : wire_(wire), clock_(clock), latency_(latency), receiver_(receiver) {}

    /// From when on there may be room for a frame of so many bytes, which never gets lost; kNever: not before the
    /// receive side does something.
    [[nodiscard]] Cycle opens_at(Cycle now, std::uint32_t bytes) { return receiver_.room_inside_at(now, bytes); }

    /// Precondition: opens_at(now) is not behind now. Returns the cycle in which the next frame may follow.
    Cycle send(FrameRef frame, Cycle now);

    /// Not owned; nullptr = none.
    void set_observer(LoopbackObserver* observer) { observer_ = observer; }
    [[nodiscard]] std::uint64_t frames() const { return frames_; }

  private:
    const MacTiming wire_;
    const Clock clock_;
    const Cycle latency_;
    PacketReceiver& receiver_;
    LoopbackObserver* observer_ = nullptr;
    Time free_at_;
    std::uint64_t frames_ = 0;
};

}  // namespace rnicsim::rc
