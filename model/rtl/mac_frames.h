// SPDX-License-Identifier: Apache-2.0
// What a MAC of IEEE 802.3 makes of a frame, whoever wrote it.
#pragma once

#include "model/rnic/common/mac_engine.h"
#include "tlm/ethernet/frame.h"

#include <span>

namespace rnicsim {

inline constexpr std::uint8_t kPreambleByte = 0x55;
inline constexpr std::uint8_t kSfdByte = 0xD5;

/// The byte at this place on the wire, of those before a frame.
inline std::uint8_t preamble(std::size_t place) { return place + 1 == kPreambleAndSfdBytes ? kSfdByte : kPreambleByte; }

/// The first that holds of runt, oversize, bad FCS; else good.
inline MacEngine::Verdict verdict_of(const Frame& frame) {
    if (frame.length() < kMinFrameBytes) return MacEngine::Verdict::runt;
    if (frame.length() > kMaxFrameBytes) return MacEngine::Verdict::oversize;
    return frame.fcs_good() ? MacEngine::Verdict::good : MacEngine::Verdict::bad_fcs;
}

/// What a MAC is given: padding is its own business. It is zeros, so zeros at the end of the shortest frame may go.
inline std::span<const std::uint8_t> without_padding(const Frame& frame) {
    std::size_t bytes = frame.length() - kFcsBytes;
    if (frame.length() == kMinFrameBytes) {
        while (bytes > kEthernetHeaderBytes && frame.bytes()[bytes - 1] == 0) --bytes;
    }
    return frame.bytes().first(bytes);
}

}  // namespace rnicsim
