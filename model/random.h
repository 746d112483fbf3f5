// SPDX-License-Identifier: Apache-2.0
// Counter-based randomness: each draw is a pure function of what it decides. So another block, another method or
// another order of events never changes a draw: both methods see the same draws, and one transfer can be replayed
// alone.
#pragma once

#include <cstdint>

namespace rnicsim {

/// The stream a draw belongs to. Values are part of the result of a seed: do not renumber.
enum class RandomStream : std::uint64_t {
    frame_loss = 1,
    registration = 2,
    payload = 3,
    memory_task = 4,
    burst = 5,
    link_down = 6,
    corruption = 7,
    damaged_bit = 8,
    duplication = 9,
    copy_delay = 10,
    reordering = 11,
    delay = 12,
    lateness = 13,
    think = 14,
    ecn_marking = 15,
    permutation = 16,
    message_verb = 17,
    message_size = 18,
    link_marking = 19,
    llc_eviction = 20,
    start = 21,
    order = 22,
    buffer_eviction = 23,
};

/// The part of the key that all draws of a run share.
struct RandomSource {
    std::uint64_t seed = 1;
    std::uint64_t repetition = 0;

    /// Uniform in [0, 1), 53 bits, for the decision named by the key.
    [[nodiscard]] constexpr double uniform(RandomStream stream, std::uint64_t k0, std::uint64_t k1,
                                           std::uint64_t k2) const {
        return static_cast<double>(bits(stream, k0, k1, k2) >> 11) * 0x1.0p-53;
    }

    [[nodiscard]] constexpr std::uint64_t bits(RandomStream stream, std::uint64_t k0, std::uint64_t k1,
                                               std::uint64_t k2) const {
        std::uint64_t h = mix(seed + 0x9E37'79B9'7F4A'7C15);
        h = mix(h ^ (repetition << 8 | static_cast<std::uint64_t>(stream)));
        h = mix(h ^ k0);
        h = mix(h ^ k1);
        return mix(h ^ k2);
    }

  private:
    // A bijection of 64-bit words in which each input bit changes about half of the output bits (tested): two rounds of
    // multiply and shift, after S. Vigna's variant of the SplitMix64 finaliser ("mix13").
    static constexpr std::uint64_t mix(std::uint64_t z) {
        z += 0x9E37'79B9'7F4A'7C15;
        z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
        z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
        return z ^ (z >> 31);
    }
};

}  // namespace rnicsim
