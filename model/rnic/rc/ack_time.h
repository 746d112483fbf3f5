// SPDX-License-Identifier: Apache-2.0
// How long a QP waits for an acknowledgement (IBTA vol. 1, 11.6.2).
#pragma once

#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim::rc {

/// Of a QP with this timeout, 0 to 31; 0: for ever. Exact (V-R8).
constexpr Time ack_time(std::uint8_t timeout) {
    return timeout == 0 ? kEndOfTime : Time{4'096'000} * (std::int64_t{1} << timeout);
}

}  // namespace rnicsim::rc
