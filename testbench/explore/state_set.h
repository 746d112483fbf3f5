// SPDX-License-Identifier: Apache-2.0
// The states seen so far: an open-addressed table from digest to number.
#pragma once

#include "testbench/explore/mixer.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rnicsim::explore {

class StateSet {
  public:
    using Number = std::uint32_t;

    StateSet() : slots_(kSmallest) {}

    /// The number of this state, in the order in which states are first seen, and whether it is new.
    std::pair<Number, bool> insert(const Digest& digest) {
        if (2 * size_ >= slots_.size()) grow();
        Slot& slot = place(slots_, digest);
        if (slot.number != kFree) return {slot.number, false};
        slot = {digest, static_cast<Number>(size_++)};
        return {slot.number, true};
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

  private:
    static constexpr Number kFree = ~Number{0};
    static constexpr std::size_t kSmallest = 1U << 12U;  // a power of two
    struct Slot {
        Digest digest;
        Number number = kFree;
    };

    static Slot& place(std::vector<Slot>& slots, const Digest& digest) {
        std::size_t at = digest.low & (slots.size() - 1);
        while (slots[at].number != kFree && slots[at].digest != digest) at = (at + 1) & (slots.size() - 1);
        return slots[at];
    }
    void grow() {
        std::vector<Slot> larger(2 * slots_.size());
        for (const Slot& slot : slots_) {
            if (slot.number != kFree) place(larger, slot.digest) = slot;
        }
        slots_ = std::move(larger);
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
};

}  // namespace rnicsim::explore
