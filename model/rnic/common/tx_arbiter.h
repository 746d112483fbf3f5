// SPDX-License-Identifier: Apache-2.0
// Chooses the next frame for the wire, at the last moment: acknowledgements and control frames first, then data and
// ordinary frames by the configured share (PROTOCOL.md 3.22).
#pragma once

#include "tlm/ethernet/frame.h"
#include "tlm/inbox.h"
#include "tlm/time/cycle.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace rnicsim {

enum class TxClass : std::uint8_t { control, data, ordinary };

struct TxChoice {
    TxClass kind = TxClass::control;
    FrameRef frame;
    std::uint64_t context = 0;  ///< data: the transport's own
};

class TxArbiter {
  public:
    /// `ordinary_share`: 0..1, of the choices in which both a data frame and an ordinary frame wait; kept in 65,536ths,
    /// as in hardware.
    explicit TxArbiter(double ordinary_share) : share_(in_hardware(ordinary_share)) {}

    /// Is a data frame sent in the end even if ordinary frames always wait?
    [[nodiscard]] static bool data_has_turns(double ordinary_share) { return in_hardware(ordinary_share) < kWhole; }

    void put_control(FrameRef frame, Cycle due) { control_.push({std::move(frame), 0}, due); }
    void put_data(FrameRef frame, std::uint64_t context, Cycle due) { data_.push({std::move(frame), context}, due); }
    void put_ordinary(FrameRef frame, Cycle due) { ordinary_.push({std::move(frame), 0}, due); }

    std::optional<TxChoice> choose(Cycle now) {
        if (control_.ready(now)) return take(TxClass::control, control_);
        const bool data = data_.ready(now);
        const bool ordinary = ordinary_.ready(now);
        if (data && ordinary) {
            credit_ += share_;
            if (credit_ < kWhole) return take(TxClass::data, data_);
            credit_ -= kWhole;
            return take(TxClass::ordinary, ordinary_);
        }
        if (data) return take(TxClass::data, data_);
        if (ordinary) return take(TxClass::ordinary, ordinary_);
        return std::nullopt;
    }

    /// The wire takes no other frame before `free_at`.
    void wire_taken(Cycle free_at) { free_at_ = free_at; }
    [[nodiscard]] Cycle free_at() const { return free_at_; }
    /// When the next frame can go; kNever: none waits.
    [[nodiscard]] Cycle next_due() const {
        const Cycle next = std::min({control_.next_due(), data_.next_due(), ordinary_.next_due()});
        return next == kNever ? kNever : std::max(next, free_at_);
    }
    [[nodiscard]] bool idle() const { return control_.empty() && data_.empty() && ordinary_.empty(); }

  private:
    struct Waiting {
        FrameRef frame;
        std::uint64_t context = 0;
    };

    static TxChoice take(TxClass kind, Inbox<Waiting>& queue) {
        Waiting waiting = queue.pop();
        return {kind, std::move(waiting.frame), waiting.context};
    }

    static constexpr std::uint32_t kWhole = 1U << 16;
    static std::uint32_t in_hardware(double share) { return static_cast<std::uint32_t>(std::lround(share * kWhole)); }

    std::uint32_t share_;
    std::uint32_t credit_ = 0;
    Cycle free_at_;
    Inbox<Waiting> control_;
    Inbox<Waiting> data_;
    Inbox<Waiting> ordinary_;
};

}  // namespace rnicsim
