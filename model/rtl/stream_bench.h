// SPDX-License-Identifier: Apache-2.0
// Drives the AXI-Stream ports of a block: frames in, frames out, in the block's own time. That stands still while the
// block has no work, and is never earlier than the run's.
#pragma once

#include "model/rtl/block_place.h"
#include "model/rtl/port_check.h"
#include "model/rtl/stream_pins.h"
#include "tlm/time/clock.h"

#include <array>
#include <memory>
#include <random>
#include <span>

namespace rnicsim {

/// What has come out of a block since the last start().
struct StreamOutput {
    std::array<std::uint8_t, 2 * kFrameRoom> bytes{};
    std::size_t length = 0;  ///< may exceed the room: the rest is not kept
    bool ended = false;      ///< tlast was there
    bool bad = false;        ///< and tuser with it
    Cycle end;               ///< in this cycle
};

/// What passes between two frames at least, in idle_until().
inline constexpr Cycle kLeastIdle{1};

class StreamBench {
  public:
    /// `check`: names the block in messages. With place.stalls, streams pause where the manifest lets them.
    StreamBench(std::unique_ptr<StreamPins> pins, const StreamManifest& manifest, const BlockPlace& place,
                const PortCheck& check);

    [[nodiscard]] StreamPins& pins() { return *pins_; }
    [[nodiscard]] Cycle now() const { return now_; }
    [[nodiscard]] const StreamOutput& output() const { return outputs_[0]; }
    /// Of the frame that was offered by follow().
    [[nodiscard]] const StreamOutput& second() const { return outputs_[1]; }

    /// Lets idle time pass until a cycle of the run, or less, if more would change nothing. Returns how far the block's
    /// time is ahead of that cycle now.
    Cycle idle_until(Cycle begin);
    /// Forgets the output; offers a frame from now on, each beat as soon as its last byte is there, a byte each
    /// `per_byte`. Precondition: the frame before has been taken.
    void start(std::span<const std::uint8_t> frame, bool bad, Time per_byte);
    /// The same of a block that gets its frames elsewhere.
    void start() { start({}, false, Time{}); }
    /// Offers another one behind it; both may be in the block at once.
    void follow(std::span<const std::uint8_t> frame, Time per_byte);
    void follow() { follow({}, Time{}); }
    /// The block has taken the whole frame, the last beat of it in this cycle.
    [[nodiscard]] bool taken() const { return next_ == frame_.size(); }
    [[nodiscard]] Cycle taken_at() const { return taken_at_; }

    /// How long a frame of so many bytes is waited for once it is in. One that is expected to vanish may come as late
    /// as is promised, or as pauses let it; a good one is waited for in any case.
    [[nodiscard]] Cycle patience(std::size_t bytes, bool expected) const;

    /// One cycle, with this byte on GMII. Returns what the block has on GMII in the cycle.
    GmiiByte cycle(GmiiByte received = {});

  private:
    void offer(std::span<const std::uint8_t> frame, bool bad, Time per_byte);
    [[nodiscard]] Beat offered();
    void take(const Beat& beat);
    [[nodiscard]] bool pauses(const StreamPromise& promise);

    std::unique_ptr<StreamPins> pins_;
    const StreamManifest& manifest_;
    const PortCheck& check_;
    Clock clock_;
    Cycle now_;
    // Into the block.
    std::span<const std::uint8_t> frame_;
    bool bad_ = false;
    std::size_t next_ = 0;  // byte that has not been taken
    Time begin_, per_byte_;
    bool offering_ = false;  // the beat stays until it is taken
    Cycle taken_at_;
    // Out of it.
    std::array<StreamOutput, 2> outputs_;
    std::size_t filling_ = 0, wanted_ = 1;  // of the outputs: that which the next beat is of; how many there may be
    Beat waiting_;                          // was not taken in the cycle before, so must stay
    bool stalls_;
    std::minstd_rand random_;
};

}  // namespace rnicsim
