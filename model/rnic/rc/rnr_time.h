// Codes of five bits on the wire: the time of an RNR NAK, and credits (IBTA vol. 1, tables 45 and 46); the timeout of a
// QP (11.6.2).
#pragma once

#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim::rc {

/// 0, 1, 2, 3, 4, 6, 8, 12, 16 ...: the code's lowest bit adds a half.
constexpr std::uint32_t steps_of(std::uint32_t code) {
    if (code < 2) return code;
    const std::uint32_t power = 1U << (code / 2);
    return code % 2 == 0 ? power : power + power / 2;
}

constexpr std::uint32_t credits_of(std::uint8_t code) { return steps_of(code); }

/// How long a requester waits after an RNR NAK of this code. 0 stands for the longest.
constexpr Time rnr_time(std::uint8_t code) {
    return kMicrosecond * 10 * (code == 0 ? std::int64_t{1} << 16U : std::int64_t{steps_of(code)});
}

/// How long a QP of this timeout waits for an acknowledgement; 0: for ever. Exact (V-R8).
constexpr Time ack_time(std::uint8_t timeout) {
    return timeout == 0 ? kEndOfTime : Time{4'096'000} * (std::int64_t{1} << timeout);
}

}  // namespace rnicsim::rc
