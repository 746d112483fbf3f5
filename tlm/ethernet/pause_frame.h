// SPDX-License-Identifier: Apache-2.0
// The frame of priority-based flow control (IEEE 802.1Qbb, now 802.1Q clause 36): its sender asks the other end of the
// link to stop some classes for a while.
#pragma once

#include "tlm/ethernet/frame.h"
#include "tlm/time/mac_timing.h"

#include <array>
#include <cstdint>
#include <optional>

namespace rnicsim {

inline constexpr std::uint16_t kMacControlEtherType = 0x8808;  // IEEE 802.3 31.4.1.3
inline constexpr unsigned kTrafficClasses = 8;
inline constexpr std::int64_t kBitsPerQuantum = 512;  // IEEE 802.3 31B.2

struct PauseFrame {
    /// By class: for so many quanta, 0 = go on. Empty: nothing is said of the class.
    std::array<std::optional<std::uint16_t>, kTrafficClasses> quanta{};
};

void write_pause_frame(Frame& frame, const MacAddress& source, const PauseFrame& of);
/// Nothing if it is no such frame.
std::optional<PauseFrame> read_pause_frame(const Frame& frame);

/// How long so many quanta are at a rate.
constexpr Time quanta(const MacTiming& timing, std::int64_t n) { return timing.per_byte * (n * kBitsPerQuantum / 8); }

/// What the standard allows between the last bit of a pause frame and the last moment at which a frame may begin, in
/// quanta (IEEE 802.3 31B.3.7 and 802.1Q 36.1.3.3; second hand, by the Linux drivers' tables): 2, 60, 60, 80, 118 and
/// 394 from 1 to 100 Gb/s.
Time longest_pause_reaction(const MacTiming& timing);

}  // namespace rnicsim
