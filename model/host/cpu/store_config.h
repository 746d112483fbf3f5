// SPDX-License-Identifier: Apache-2.0
// What a core pays for its accesses to a device, and how its write-combining buffers behave.
#pragma once

#include "model/host/cpu/write_combining.h"
#include "tlm/time/time.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace rnicsim {

/// Which buffer leaves next, of those that are not full.
enum class Victim : std::uint8_t {
    oldest,
    random  ///< what the SDM allows: the processor says nothing of it
};
inline constexpr std::array<std::string_view, 2> kVictimNames{"oldest", "random"};

/// In which order pieces go to the port that may go at the same time.
enum class PieceOrder : std::uint8_t {
    ascending,  ///< by line as these have been told to leave, by address in a line
    any         ///< drawn
};
inline constexpr std::array<std::string_view, 2> kPieceOrderNames{"ascending", "any"};

/// How an address is mapped.
enum class Mapping : std::uint8_t { write_combining, uncached };
inline constexpr std::array<std::string_view, 2> kMappingNames{"write_combining", "uncached"};

struct StoreConfig {
    Mapping mapping = Mapping::write_combining;  ///< of windows, for programs
    Time line{4'800};     ///< a copy's line of 64 bytes. Assumed; at most 6.04 ns: ntb_perf's 84.8 Gb/s
    Time store{1'000};    ///< from a store's begin until its bytes are in their buffer. Assumed
    Time evict{20'000};   ///< from the decision that a buffer leaves until its pieces are at the port
    Time fence{58'000};   ///< with `evict` 78 ns: a posted write of Dolphin's SISCI, beyond the copy
    Time uc_gap{60'000};  ///< from an uncached store to the next one, at least. Of 50 to 300 ns on Intel's processors
    std::uint32_t loads = 1;   ///< MRd of one load instruction on their way at once, 1..16
    std::uint32_t width = 32;  ///< bytes of each, aligned: a power of two, 8..64. A register of AVX
    WriteCombining::Config wc{};
    Victim victim = Victim::oldest;
    PieceOrder order = PieceOrder::ascending;
    Time hold = kEndOfTime;  ///< from a buffer's first store until all leave; kEndOfTime: they stay
};

}  // namespace rnicsim
