// SPDX-License-Identifier: Apache-2.0
// The receiving half of a transfer's data phase: which frames have arrived, and what to acknowledge (PROTOCOL.md
// section 4).
#pragma once

#include "model/rnic/drp/config.h"
#include "model/rnic/drp/policies/retransmission.h"
#include "tlm/drp/ids.h"

#include <cassert>
#include <cstdint>
#include <tuple>

namespace rnicsim {

enum class Arrival : std::uint8_t {
    fresh,      ///< place it, then call accept()
    duplicate,  ///< received already: acknowledge again
    unwanted,   ///< not the next one, where only that is accepted: acknowledge again, drop it
    beyond,     ///< beyond the window: a correct peer never sends it
};

class DataReceiver {
  public:
    DataReceiver() = default;
    explicit DataReceiver(const TransportConfig& config)
        : window_(config.window), in_order_only_(!config.retransmission->takes_ahead()) {}

    [[nodiscard]] Arrival classify(Sn sn) const {
        if (sn < expected_) return Arrival::duplicate;
        const std::uint32_t ahead = sn - expected_;
        if (ahead >= window_) return Arrival::beyond;
        if ((received_ >> ahead & 1U) != 0) return Arrival::duplicate;
        return in_order_only_ && ahead != 0 ? Arrival::unwanted : Arrival::fresh;
    }

    /// Precondition: classify(sn) == Arrival::fresh.
    void accept(Sn sn) {
        assert(classify(sn) == Arrival::fresh);
        received_ |= std::uint64_t{1} << (sn - expected_);
        while ((received_ & 1U) != 0) {
            received_ >>= 1U;
            ++expected_;
        }
    }

    /// Have frames behind one that is missing been received?
    [[nodiscard]] bool has_holes() const { return received_ != 0; }
    /// What to acknowledge: the next SN expected.
    [[nodiscard]] Sn expected() const { return expected_; }
    /// All that changes, to compare states: expected, and bit i: expected + i has been received.
    [[nodiscard]] auto state() const { return std::tie(expected_, received_); }

  private:
    Sn expected_;
    std::uint64_t received_ = 0;  // bit i: expected_ + i has been received; bit 0 is never set
    std::uint32_t window_ = 1;
    bool in_order_only_ = false;
};

}  // namespace rnicsim
