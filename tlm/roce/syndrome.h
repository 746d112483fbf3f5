// SPDX-License-Identifier: Apache-2.0
// What the five lower bits of an AETH's syndrome stand for (IBTA vol. 1, 9.7.5; credits: 9.7.7).
#pragma once

#include "tlm/roce/header.h"
#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim::roce {

/// Both tables go on in steps of 1.5 and 2: 1, 2, 3, 4, 6, 8, 12, ..., 49152.
/// Precondition: 1 <= code <= 31.
constexpr std::uint32_t table_step(std::uint8_t code) {
    if (code == 1) return 1;
    const std::uint32_t power = 1U << code / 2U;
    return code % 2 == 0 ? power : power + power / 2;
}

/// How long a requester has to wait after an RNR NAK with this code: 10 us to 491.52 ms, and 655.36 ms for 0. (Linux'
/// rxe has 61.41 ms for 25, which the table does not.) Precondition: code <= 31.
constexpr Time rnr_time(std::uint8_t code) { return kMicrosecond * 10 * (code == 0 ? 65'536 : table_step(code)); }

/// Receive WQEs that an ACK with this code grants. Precondition: code < kNoCredits, which grants any number.
constexpr std::uint32_t credits(std::uint8_t code) { return code == 0 ? 0 : table_step(code); }

}  // namespace rnicsim::roce
