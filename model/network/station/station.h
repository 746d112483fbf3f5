// A station sends and takes ordinary frames at the rate of its link. Its MAC begins one as soon as the wire is free, in
// the order in which they have become ready; one whose class is paused lets the others pass.
#pragma once

#include "model/network/pause_state.h"
#include "model/network/station/config.h"
#include "model/network/station/station_frame.h"
#include "tlm/ethernet/frame_socket.h"
#include "tlm/taps.h"
#include "tlm/wakeup.h"

#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

namespace rnicsim {

/// Has frames for a station, and gets what it receives.
class StationUser {
  public:
    virtual ~StationUser() = default;
    /// The next frame of an item of the traffic, and when it is ready: never before the one before it. `sent`: when the
    /// wire is free behind that one. Nothing: that was the last one.
    struct Offer {
        StationFrame frame;
        Time ready;
    };
    virtual std::optional<Offer> next(std::size_t item, Time sent) = 0;
    /// Its preamble begins at `begin`.
    virtual void sends(const StationFrame& frame, Time begin) = 0;
    /// Its last bit arrives at `end`, now or later.
    virtual void arrives(const StationFrame& frame, Time end) = 0;
};

class Station : public sc_core::sc_module, public FrameTransport {
  public:
    /// `host`: its number. `link`: what its rate makes of frames. Not owned: `frames`; `observer`, nullptr = none.
    Station(sc_core::sc_module_name name, unsigned host, const StationConfig& config, const MacTiming& link,
            FramePool& frames, Observer* observer);

    FrameIn in{"in"};
    FrameOut out{"out"};

    /// `items`: the items of the traffic that it sends frames of. To be called once, before the simulation starts.
    /// `user` is not owned.
    void attach(StationUser& user, const std::vector<std::size_t>& items);

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
    [[nodiscard]] bool idle() const;
    [[nodiscard]] std::uint64_t activations() const { return wakeup_.activations(); }

  private:
    struct Flow {
        std::size_t item = 0;
        std::optional<StationUser::Offer> offer;
    };
    void wake();
    void send(Flow& flow, Time now);

    const unsigned host_;
    const StationConfig config_;
    const MacTiming timing_;
    FramePool& frames_;
    Observer* const observer_;
    StationUser* user_ = nullptr;
    std::vector<Flow> flows_;  // in the order of the traffic
    PauseState pauses_;
    Time free_at_;  // the wire, behind the gap
    Wakeup wakeup_;
    Counters counters_;
};

}  // namespace rnicsim
