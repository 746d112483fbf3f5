// SPDX-License-Identifier: Apache-2.0
// By line of SCM, its newest write, as far as that is not over.
#pragma once

#include "tlm/time/time.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rnicsim {

/// A table without nodes: each line that goes to SCM asks for its neighbours' write.
class NewestWrites {
  public:
    struct Write {
        Time entered;  ///< the first of its lines has come into the queue
        Time done;     ///< they leave it
    };

    /// nullptr: it has none, or nobody needs it.
    [[nodiscard]] const Write* find(std::uint64_t line) const {
        const Slot& slot = slots_[place_of(line)];
        return slot.used ? &slot.write : nullptr;
    }
    void put(std::uint64_t line, const Write& write) {
        if (2 * used_ >= slots_.size()) rebuild();
        Slot& slot = slots_[place_of(line)];
        if (!slot.used) ++used_;
        slot = {line, write, true};
    }
    /// Nobody asks for those any more that were over before `now`.
    void forget(Time now) { now_ = now; }

  private:
    struct Slot {
        std::uint64_t line = 0;
        Write write;
        bool used = false;
    };
    /// Of the line, or the free one where it would be.
    [[nodiscard]] std::size_t place_of(std::uint64_t line) const {
        constexpr std::uint64_t kSpread = 0x9E37'79B9'7F4A'7C15;  // neighbours lie apart
        const std::size_t last = slots_.size() - 1;
        std::size_t at = static_cast<std::size_t>(line * kSpread >> 32U) & last;
        while (slots_[at].used && slots_[at].line != line) at = (at + 1) & last;
        return at;
    }
    /// Without those that are over.
    void rebuild() {
        std::swap(slots_, old_);
        const auto stay =
            static_cast<std::size_t>(std::ranges::count_if(old_, [this](const Slot& slot) { return stays(slot); }));
        slots_.assign(std::max(kLeast, std::bit_ceil(4 * stay)), {});
        used_ = stay;
        for (const Slot& slot : old_) {
            if (stays(slot)) slots_[place_of(slot.line)] = slot;
        }
    }
    [[nodiscard]] bool stays(const Slot& slot) const { return slot.used && slot.write.done >= now_; }

    static constexpr std::size_t kLeast = 256;
    std::vector<Slot> slots_ = std::vector<Slot>(kLeast);  // a power of two, at most half of them used
    std::vector<Slot> old_;                                // room for the next ones
    std::size_t used_ = 0;
    Time now_;
};

}  // namespace rnicsim
