// SPDX-License-Identifier: Apache-2.0
// What a switch decides about a frame that has arrived: dropped, or in which queue of which port it waits; and which
// frame a port sends next. Plain C++, no SystemC.
//
// A port that sends in the order of arrival and that nothing stops needs no queue: the departure of a frame is known
// when it is admitted, and one event a frame is enough.
#pragma once

#include "model/network/pause_state.h"
#include "model/network/switch/config.h"
#include "model/network/switch/drop_reason.h"
#include "model/network/switch/egress_queues.h"
#include "model/network/switch/forwarding_table.h"
#include "model/network/switch/lossless_ingress.h"
#include "model/network/switch/shared_buffer.h"
#include "model/random.h"
#include "tlm/time/mac_timing.h"
#include "tlm/time/time.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim {

class SwitchLogic {
  public:
    /// `ports`: what the rate of each port's link makes of frames. `routes`: by host, the port that leads to it; none
    /// leads there if it is beyond the ports. `headroom`: by port, bytes of each lossless class.
    struct Ports {
        std::vector<MacTiming> timing;
        std::vector<std::size_t> routes;
        std::vector<std::int64_t> headroom;
    };
    /// `number`: the switch's, for its random draws.
    SwitchLogic(const SwitchConfig& config, Ports ports, const RandomSource& random = {}, unsigned number = 0);

    /// A frame whose last bit has arrived at `now`; with cut-through its header.
    struct Arrival {
        std::size_t port = 0;
        std::int64_t length = 0;  ///< bytes, DA to FCS
        bool fcs_good = true;
        std::optional<unsigned> to;      ///< the host with its destination address
        std::optional<unsigned> from{};  ///< ... source address
        std::uint8_t traffic_class = 0;
        bool ecn_capable = false;
        std::uint32_t handle = 0;  ///< comes back with its departure
    };
    struct Departure {
        std::size_t port = 0;
        Time begin;  ///< of its preamble
        Time end;    ///< of its last byte
        std::uint32_t handle = 0;
        bool marked = false;  ///< it gets a mark of congestion
        bool pause = false;   ///< instead of a frame that has arrived: pause_frame()
    };
    struct Verdict {
        std::optional<DropReason> dropped;
        std::optional<Departure> departure;  ///< nothing: dropped, or begins() will tell
    };
    /// `now` never goes back. At equal times the caller keeps the order of ports. Of a frame that leaves by several
    /// ports this is the verdict on the first.
    Verdict arrives(Time now, const Arrival& frame);
    /// Is there a further port for the frame that has just arrived? Then the verdict on it; `handle`: of this copy.
    [[nodiscard]] bool floods() const { return !to_flood_.empty(); }
    Verdict also(Time now, std::uint32_t handle);
    /// Cut-through: the header of a frame has arrived. Can it go on at once? Then it arrives() now.
    [[nodiscard]] bool cuts_through(Time now, const Arrival& frame);
    /// A pause frame has arrived, which is never forwarded.
    void hears(Time now, std::size_t port, const PauseFrame& frame);

    /// A frame that begins now; to be asked until there is none. By port.
    std::optional<Departure> begins(Time now);
    /// What the pause frame says that begins() has told of last.
    [[nodiscard]] const PauseFrame& pause_frame() const { return pause_frame_; }
    /// When to ask next.
    [[nodiscard]] Time next() const;
    /// Frees the bytes of all that has left by `now`.
    void settle(Time now) {
        while (!leaving_.empty() && leaving_.front().end <= now) first_leaves(now);
    }

    /// Frames and bytes of one port.
    struct Counters {
        std::uint64_t in = 0, in_bytes = 0;                 ///< that have arrived by it, but for pause frames
        std::uint64_t out = 0, out_bytes = 0;               ///< that have left by it, but for pause frames
        std::array<std::uint64_t, kDropReasons> dropped{};  ///< of those that arrived by it
        std::uint64_t dropped_bytes = 0;
        std::uint64_t copies = 0, copied_bytes = 0;  ///< of those that arrived by it, for further ports
        std::uint64_t refused = 0;                   ///< dropped for want of room in a queue of this port
        std::uint64_t marked = 0;                    ///< of those that leave by it
        std::uint64_t cut_through = 0;
        std::uint64_t pauses_sent = 0, pauses_heard = 0;  ///< "go on" included
    };
    [[nodiscard]] const Counters& counters(std::size_t port) const { return ports_.at(port).counters; }
    [[nodiscard]] std::size_t ports() const { return ports_.size(); }
    /// Frames that are admitted and have not left.
    [[nodiscard]] std::size_t queued() const { return queued_; }
    [[nodiscard]] std::uint64_t queued_bytes() const { return queued_bytes_; }
    /// Bytes of a port's queues, in whole cells; the longest that one of them has been.
    [[nodiscard]] std::int64_t queued_at(std::size_t port) const;
    [[nodiscard]] std::int64_t queue_high_water(std::size_t port) const;
    [[nodiscard]] const SharedBuffer& buffer() const { return buffer_; }
    [[nodiscard]] const LosslessIngress& ingress() const { return ingress_; }
    /// May a port not send what waits for it, because its other end has said so?
    [[nodiscard]] bool stopped(std::size_t port, Time now);

  private:
    struct Port {
        MacTiming timing;
        Time free_at;  // behind the gap of the frame that it has begun last, or will
        Counters counters;
    };
    /// Of a port whose departures are not known beforehand.
    struct Egress {
        EgressQueues queues;
        PauseState pauses;
        std::uint8_t to_tell = 0;                       // classes: the other end has to hear about them
        std::array<Time, kTrafficClasses> repeat_at{};  // the pause is to be said again
        std::uint64_t decisions = 0;                    // about marks
        Time look_at = kEndOfTime;                      // the next time at which it is to be looked at
    };
    struct Leaving {
        Time end{};
        std::uint16_t port = 0;
        std::uint16_t ingress = 0;
        std::uint8_t traffic_class = 0;
        std::int64_t bytes = 0;
    };
    /// A port is to be looked at.
    struct Look {
        Time at;
        std::size_t port = 0;
    };
    /// For heaps of them: the first one is at the top.
    struct Later {
        bool operator()(const Leaving& a, const Leaving& b) const {
            return a.end != b.end ? a.end > b.end : a.port > b.port;
        }
        bool operator()(const Look& a, const Look& b) const { return a.at != b.at ? a.at > b.at : a.port > b.port; }
    };
    [[nodiscard]] std::optional<DropReason> refuses(const Arrival& frame) const;
    Verdict leaves_by(Time now, const Arrival& frame, std::size_t egress);
    Verdict drop(const Arrival& frame, DropReason reason);
    Verdict flood(Time now, const Arrival& frame);
    std::optional<DropReason> admit(Time now, const Arrival& frame, std::size_t egress);
    void release(Time now, const Leaving& left);
    [[nodiscard]] std::size_t queue_of(std::size_t port, unsigned of_class) const {
        return port * config_.priorities + config_.priority_of(of_class);
    }
    [[nodiscard]] bool marks(std::size_t port, std::size_t queue);
    void look(Time at, std::size_t port);
    [[nodiscard]] Time repeats_at(std::size_t port) const;
    void look_again(std::size_t port, Time now);
    void tell(Time now, std::size_t port, unsigned of_class);
    std::optional<Departure> look_at(std::size_t port, Time now);
    Departure send_pause(std::size_t port, Time now);
    Departure send(std::size_t port, unsigned priority, Time now);
    Time wire_takes(std::size_t port, Time begin, Leaving frame);
    void first_leaves(Time now);

    const SwitchConfig config_;
    std::vector<Port> ports_;
    PauseFrame pause_frame_;
    ForwardingTable table_;
    Arrival flooded_;                    // the frame in hand ...
    std::vector<std::size_t> to_flood_;  // ... and the ports that it has not been given, the next one last
    const RandomSource random_;
    const unsigned number_;
    SharedBuffer buffer_;
    LosslessIngress ingress_;
    std::vector<Egress> egress_;    // by port; none if departures are known beforehand
    std::vector<Leaving> leaving_;  // heap
    std::vector<Look> looks_;       // heap
    std::size_t queued_ = 0;
    std::uint64_t queued_bytes_ = 0;
    std::size_t pausing_ = 0;  // ports and classes whose senders pause
};

}  // namespace rnicsim
