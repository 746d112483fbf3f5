// What a switch decides about a frame that has arrived: dropped, or when it leaves by which port. Plain C++, no
// SystemC. Store and forward, one queue a port, first come first served: so the departure of a frame is known when it
// is admitted, and one event a frame is enough.
#pragma once

#include "model/network/switch/config.h"
#include "model/network/switch/drop_reason.h"
#include "model/network/switch/shared_buffer.h"
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
    /// leads there if it is beyond the ports.
    SwitchLogic(const SwitchConfig& config, std::vector<MacTiming> ports, std::vector<std::size_t> routes);

    /// A frame whose last bit has arrived at `now`.
    struct Arrival {
        std::size_t port = 0;
        std::int64_t length = 0;  ///< bytes, DA to FCS
        bool fcs_good = true;
        std::optional<unsigned> to;  ///< the host with its destination address
    };
    struct Departure {
        std::size_t port = 0;
        Time begin;  ///< of its preamble
        Time end;    ///< of its last byte
    };
    struct Verdict {
        std::optional<DropReason> dropped;
        Departure departure;  ///< if it is not dropped
    };
    /// `now` never goes back. At equal times the caller keeps the order of ports.
    Verdict arrives(Time now, const Arrival& frame);
    /// Frees the bytes of all that has left by `now`.
    void settle(Time now);

    /// Frames and bytes of one port.
    struct Counters {
        std::uint64_t in = 0, in_bytes = 0;                 ///< that have arrived by it
        std::uint64_t out = 0, out_bytes = 0;               ///< that have left by it
        std::array<std::uint64_t, kDropReasons> dropped{};  ///< of those that arrived by it
        std::uint64_t dropped_bytes = 0;
        std::uint64_t refused = 0;  ///< dropped for want of room in the queue of this port
    };
    [[nodiscard]] const Counters& counters(std::size_t port) const { return ports_.at(port).counters; }
    [[nodiscard]] std::size_t ports() const { return ports_.size(); }
    /// Frames that are admitted and have not left.
    [[nodiscard]] std::size_t queued() const { return leaving_.size(); }
    [[nodiscard]] std::uint64_t queued_bytes() const { return queued_bytes_; }
    [[nodiscard]] const SharedBuffer& buffer() const { return buffer_; }

  private:
    struct Port {
        MacTiming timing;
        Time free_at;  // behind the gap of the frame admitted last
        Counters counters;
    };
    struct Leaving {
        Time end;
        std::size_t port = 0;
        std::int64_t bytes = 0;
        /// For a heap: the first to leave is at its top.
        [[nodiscard]] bool later_than(const Leaving& other) const {
            return end != other.end ? end > other.end : port > other.port;
        }
    };
    [[nodiscard]] std::optional<DropReason> refuses(const Arrival& frame);

    const SwitchConfig config_;
    std::vector<Port> ports_;
    const std::vector<std::size_t> routes_;
    SharedBuffer buffer_;
    std::vector<Leaving> leaving_;  // heap
    std::uint64_t queued_bytes_ = 0;
};

}  // namespace rnicsim
