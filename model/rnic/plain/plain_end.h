// SPDX-License-Identifier: Apache-2.0
// A plain host sends and takes ordinary frames at the rate of its link. Its MAC begins one as soon as the wire is free,
// in the order in which they have become ready; one whose class is paused lets the others pass.
#pragma once

#include "model/end_system.h"
#include "model/network/pause_state.h"
#include "model/rnic/plain/end_config.h"
#include "model/rnic/plain/plain_frame.h"
#include "model/system.h"
#include "tlm/ethernet/frame_socket.h"
#include "tlm/taps.h"
#include "tlm/wakeup.h"

#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

namespace rnicsim {

/// Has frames for a plain host, and gets what it receives.
class PlainUser {
  public:
    virtual ~PlainUser() = default;
    /// The next frame of an item of the traffic, and when it is ready: never before the one before it. `sent`: when the
    /// wire is free behind that one. Nothing: that was the last one.
    struct Offer {
        PlainFrame frame;
        Time ready;
    };
    virtual std::optional<Offer> next(std::size_t item, Time sent) = 0;
    /// Its preamble begins at `begin`.
    virtual void sends(const PlainFrame& frame, Time begin) = 0;
    /// Its last bit arrives at `end`, now or later.
    virtual void arrives(const PlainFrame& frame, Time end) = 0;
};

class PlainEnd final : public EndSystem, public FrameTransport {
  public:
    PlainEnd(sc_core::sc_module_name name, const Environment& environment);

    FrameIn in{"in"};
    FrameOut out{"out"};
    [[nodiscard]] FrameOut& wire_out() override { return out; }
    [[nodiscard]] FrameIn& wire_in() override { return in; }

    /// `items`: the items of the traffic that it sends frames of. To be called once, before the simulation starts.
    /// `user` is not owned.
    void attach(PlainUser& user, const std::vector<std::size_t>& items);

    /// A frame from the wire.
    void put(FrameRef frame, Time end) override;

    /// Each frame received is in exactly one of those from `rx_frames` on.
    struct Counters {
        std::uint64_t tx_frames = 0, tx_bytes = 0;
        std::uint64_t rx_frames = 0, rx_bytes = 0;  ///< of the traffic, for this station
        std::uint64_t rx_bad_fcs = 0, rx_oversize = 0;
        std::uint64_t rx_pause = 0;
        std::uint64_t rx_other = 0;  ///< for somebody else, or of no traffic
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }
    /// Has it nothing to send any more?
    [[nodiscard]] bool idle() const override;
    [[nodiscard]] std::uint64_t activations() const override { return wakeup_.activations(); }

  private:
    struct Flow {
        std::size_t item = 0;
        std::optional<PlainUser::Offer> offer;
    };
    void wake();
    void send(Flow& flow, Time now);

    const unsigned host_;
    const PlainEndConfig config_;
    const MacTiming timing_;
    FramePool& frames_;
    Observer* const observer_;
    PlainUser* user_ = nullptr;
    std::vector<Flow> flows_;  // in the order of the traffic
    PauseState pauses_;
    Time free_at_;  // the wire, behind the gap
    Wakeup wakeup_;
    Counters counters_;
};

/// Precondition: this host of the system is a plain one.
[[nodiscard]] inline PlainEnd& plain_end(System& system, unsigned host) {
    return static_cast<PlainEnd&>(system.end(host));
}
[[nodiscard]] inline const PlainEnd& plain_end(const System& system, unsigned host) {
    return static_cast<const PlainEnd&>(system.end(host));
}

}  // namespace rnicsim
