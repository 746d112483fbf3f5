// SPDX-License-Identifier: Apache-2.0
// Of which version each byte of a line is.
#pragma once

#include <cstdint>
#include <vector>

namespace rnicsim {

/// Parts of a line that do not overlap, each of one version; a byte in none has never been written. Whole lines are
/// the rule, so there are one or two parts.
class ByteOwners {
  public:
    struct Part {
        std::uint64_t mask = 0;
        std::uint64_t version = 0;
        friend bool operator==(const Part&, const Part&) = default;
    };

    void put(std::uint64_t mask, std::uint64_t version) {
        if (mask == 0) return;
        remove(mask);
        parts_.push_back({mask, version});
    }
    void remove(std::uint64_t mask) {
        for (Part& part : parts_) part.mask &= ~mask;
        std::erase_if(parts_, [](const Part& part) { return part.mask == 0; });
    }
    /// The bytes that are of this version.
    [[nodiscard]] std::uint64_t of(std::uint64_t version) const {
        std::uint64_t mask = 0;
        for (const Part& part : parts_) mask |= part.version == version ? part.mask : 0;
        return mask;
    }
    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
    void clear() { parts_.clear(); }

  private:
    std::vector<Part> parts_;
};

}  // namespace rnicsim
