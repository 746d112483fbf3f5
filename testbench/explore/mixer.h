// SPDX-License-Identifier: Apache-2.0
// A state in 128 bits: equal states have equal digests; two different ones have equal digests with probability 2^-128.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace rnicsim::explore {

struct Digest {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend bool operator==(const Digest&, const Digest&) = default;
};

/// Mixes words one by one, in two lanes with different odd multipliers; the finish is MurmurHash3's (public domain).
class Mixer {
  public:
    void add(std::uint64_t word) {
        a_ = std::rotl((a_ ^ word) * 0x9e37'79b9'7f4a'7c15U, 29) + 0x632b'e59b'd9b4'e019U;
        b_ = std::rotl((b_ + word) * 0xc2b2'ae3d'27d4'eb4fU, 31) ^ a_;
    }
    /// Small numbers, 8 bits each, in one word.
    void pack(std::initializer_list<std::uint32_t> bytes) {
        std::uint64_t word = 0;
        for (const std::uint32_t byte : bytes) word = word << 8U | (byte & 0xFFU);
        add(word);
    }
    [[nodiscard]] Digest finish() const { return {last(a_ ^ std::rotl(b_, 17)), last(b_)}; }

  private:
    static std::uint64_t last(std::uint64_t k) {
        k = (k ^ k >> 33U) * 0xff51'afd7'ed55'8ccdU;
        k = (k ^ k >> 33U) * 0xc4ce'b9fe'1a85'ec53U;
        return k ^ k >> 33U;
    }
    std::uint64_t a_ = 0x243f'6a88'85a3'08d3U;
    std::uint64_t b_ = 0x1319'8a2e'0370'7344U;
};

}  // namespace rnicsim::explore
