// SPDX-License-Identifier: Apache-2.0
// Which PSNs behind a first one have come: the bitmap of selective repeat (V-R11, V-S10). Moves on with the first one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rnicsim::rc {

class CameAhead {
  public:
    /// `place`: so many PSNs behind the first one.
    [[nodiscard]] bool has(std::uint32_t place) const { return place < size() && bits_[from_ + place]; }
    [[nodiscard]] bool empty() const { return size() == 0; }
    /// Places up to the last one that has come.
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(bits_.size() - from_); }

    void mark(std::uint32_t place) {
        if (place >= size()) bits_.resize(from_ + place + 1);
        bits_[from_ + place] = true;
    }
    /// The first one is so many PSNs later.
    void advance(std::uint32_t psns) {
        from_ += std::min(psns, size());
        if (empty()) return clear();
        if (from_ < kPassed || from_ < size()) return;  // seldom, as all that is left moves
        bits_.erase(bits_.begin(), bits_.begin() + static_cast<std::ptrdiff_t>(from_));
        from_ = 0;
    }
    void clear() {
        bits_.clear();
        from_ = 0;
    }

  private:
    static constexpr std::size_t kPassed = 1024;
    std::vector<bool> bits_;  // the last one is set
    std::size_t from_ = 0;    // those before it are passed
};

}  // namespace rnicsim::rc
