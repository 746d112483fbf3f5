// SPDX-License-Identifier: Apache-2.0
// Does a thread that computes wait for memory to change, as ib_write_lat does? Nothing says so but the processor time
// that it takes without a request. It is thought to spin after `patience` of that; then time goes on to the next write
// into its memory, or by a slice, and it gets as long again to see what is new.
#pragma once

#include "tlm/time/time.h"

#include <algorithm>
#include <cstdint>

namespace rnicsim::programs {

class Spinning {
  public:
    static constexpr std::int64_t kMostPatience = 100'000'000;  ///< ns of processor time: of who may just compute
    static constexpr std::int64_t kUsualPatience = 1'000'000;   ///< ns: of who has been seen to spin again and again
    static constexpr std::int64_t kLeastPatience = 300'000;     ///< ns: of who is given a look at what is new
    static constexpr Time kLeastSlice = kMicrosecond * 10;      ///< that passes without a write; doubled each time
    static constexpr Time kMostSlice = kMillisecond;

    /// `computed`: ns of processor time that its program has had by now, here and below. It goes on after a request or
    /// an answer. If it was thought to spin and its memory was written meanwhile, it did spin.
    void begin(std::int64_t computed) {
        if (thought_) patience_ = touched_ ? std::max(patience_ / 4, kUsualPatience) : kMostPatience;
        thought_ = touched_ = false;
        slice_ = kLeastSlice;
        until_ = computed + patience_;
    }
    /// It asks for something else than who waits for messages in a loop does.
    void forget() { patience_ = kMostPatience; }
    [[nodiscard]] bool spins(std::int64_t computed) const { return computed > until_; }
    /// It does, and has not said anything.
    void think() { thought_ = true; }
    /// Since its last request.
    [[nodiscard]] bool thought_to() const { return thought_; }
    /// ... and its memory has been written meanwhile: that is what it has waited for.
    [[nodiscard]] bool has_seen() const { return thought_ && touched_; }
    [[nodiscard]] Time slice() const { return slice_; }

    /// Its memory has been written.
    void touch(std::int64_t computed) {
        touched_ = true;
        slice_ = kLeastSlice;
        until_ = computed + kLeastPatience;
    }
    /// A slice has passed without.
    void pass(std::int64_t computed) {
        slice_ = std::min(slice_ * 2, kMostSlice);
        until_ = computed + kLeastPatience;
    }

  private:
    std::int64_t until_ = 0;
    std::int64_t patience_ = kMostPatience;
    Time slice_ = kLeastSlice;
    bool thought_ = false, touched_ = false;
};

}  // namespace rnicsim::programs
