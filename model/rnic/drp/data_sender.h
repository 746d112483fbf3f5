// SPDX-License-Identifier: Apache-2.0
// The sending half of a transfer's data phase: window, cumulative acknowledgements, retransmission (PROTOCOL.md
// section 4). Plain logic: state + input -> decision. No time, no frames.
#pragma once

#include "model/rnic/drp/config.h"
#include "model/rnic/drp/policies/retransmission.h"
#include "model/rnic/drp/policies/window_rule.h"
#include "tlm/drp/ids.h"

#include <cstdint>
#include <tuple>

namespace rnicsim {

enum class AckResult : std::uint8_t {
    progress,   ///< acknowledges something new
    duplicate,  ///< repeats the last acknowledgement while frames are outstanding
    loss,       ///< the duplicate that starts a fast retransmission
    ignored,    ///< old, or of a frame never sent, or nothing outstanding
};

class DataSender {
  public:
    DataSender() = default;
    /// `frames` >= 1: data frames of the transfer. `window`: 1..64.
    DataSender(std::uint32_t frames, const TransportConfig& config);

    /// Is there a frame to send, inside the window?
    [[nodiscard]] bool has_next() const;
    /// The frame to send now: retransmissions first, then the next new one. Precondition: has_next().
    Sn next();

    AckResult on_ack(Sn ackn);

    /// The data timer expired: retransmit the oldest outstanding frame (go-back-N: all from it on).
    void on_timeout();
    /// The valid REQ_ACK of an indirect transfer came. If everything in the window has been sent and no ACK comes
    /// back, the far indirect buffer is full: send the outstanding frames again at once (PROTOCOL.md 6.8). Returns
    /// whether they are sent again.
    bool resume();

    [[nodiscard]] bool all_acknowledged() const { return una_.n == frames_; }
    [[nodiscard]] bool outstanding() const { return una_ < next_; }
    [[nodiscard]] bool acknowledged(Sn sn) const { return sn < una_; }
    [[nodiscard]] Sn oldest_unacknowledged() const { return una_; }
    [[nodiscard]] Sn next_new() const { return next_; }
    [[nodiscard]] std::uint32_t frames() const { return frames_; }
    /// All that changes, for `explore`, which compares states: una, next, resend, its end, recover, recovering,
    /// duplicates, the open part of the window.
    [[nodiscard]] auto state() const {
        return std::tie(una_, next_, resend_, resend_end_, recover_, recovering_, duplicates_, open_);
    }

  private:
    void begin_recovery();

    std::uint32_t frames_ = 0;
    std::uint32_t window_ = 1;                 // frames
    std::uint32_t open_ = kWindowParts;        // of it, in parts
    const WindowRule* window_rule_ = nullptr;  // not owned
    std::uint32_t duplicate_limit_ = 3;
    const Retransmission* retransmission_ = nullptr;  // not owned
    Sn una_;                                          // oldest not acknowledged
    Sn next_;                                         // next never sent
    Sn resend_;                                       // [resend_, resend_end_) is to be sent again
    Sn resend_end_;
    Sn recover_;  // recovery ends when una_ reaches it
    bool recovering_ = false;
    std::uint32_t duplicates_ = 0;
};

}  // namespace rnicsim
