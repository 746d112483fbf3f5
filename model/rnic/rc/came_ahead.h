// Which PSNs behind a first one have come: the bitmap of selective repeat (V-R11, V-S10). Moves on with the first one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rnicsim::rc {

class CameAhead {
  public:
    /// `place`: so many PSNs behind the first one.
    [[nodiscard]] bool has(std::uint32_t place) const { return place < bits_.size() && bits_[place]; }
    [[nodiscard]] bool empty() const { return bits_.empty(); }
    /// Places up to the last one that has come.
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(bits_.size()); }

    void mark(std::uint32_t place) {
        if (place >= bits_.size()) bits_.resize(place + 1);
        bits_[place] = true;
    }
    /// The first one is so many PSNs later.
    void advance(std::uint32_t psns) { bits_.erase(bits_.begin(), bits_.begin() + std::min(psns, size())); }
    void clear() { bits_.clear(); }

  private:
    std::vector<bool> bits_;  // the last one is set
};

}  // namespace rnicsim::rc
