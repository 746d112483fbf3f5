// SPDX-License-Identifier: Apache-2.0
// What a rate makes of a frame on the wire.
#pragma once

#include "tlm/time/time.h"

#include <cstddef>
#include <cstdint>

namespace rnicsim {

// IEEE 802.3 clause 4.2.3.2.2 and 4.4.2, bytes.
inline constexpr std::int64_t kPreambleAndSfdBytes = 8;
inline constexpr std::int64_t kInterpacketGapBytes = 12;

/// Of one direction of a link: all its frames begin and end by these.
struct MacTiming {
    Time per_byte{8'000};  ///< 1 Gb/s

    static constexpr MacTiming of_rate(std::int64_t bits_per_second) {
        return {Time{8 * kSecond.ps / bits_per_second}};
    }

    /// From the first byte of the preamble to the last one of the FCS. `length`: DA to FCS, bytes.
    [[nodiscard]] constexpr Time serialisation(std::size_t length) const {
        return per_byte * (kPreambleAndSfdBytes + static_cast<std::int64_t>(length));
    }
    [[nodiscard]] constexpr Time gap() const { return per_byte * kInterpacketGapBytes; }

    friend constexpr bool operator==(const MacTiming&, const MacTiming&) = default;
};

}  // namespace rnicsim
