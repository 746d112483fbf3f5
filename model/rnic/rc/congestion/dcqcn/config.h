// SPDX-License-Identifier: Apache-2.0
// Settings of DCQCN: keys of `system.rnic.rc.dcqcn`.
#pragma once

#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim::rc {

/// When alpha grows.
enum class AlphaUpdate : std::uint8_t {
    cnp,    ///< with each CNP, from which alpha_timer begins anew
    period  ///< at the end of each alpha_timer in which a CNP came
};
/// When a reduction makes the rate that it finds the target.
enum class TargetUpdate : std::uint8_t {
    reduction,  ///< each time
    timer       ///< only if the timer has raised the rate since the last one
};

/// Defaults are the paper's (its figure 14 and section 5.2).
struct DcqcnConfig {
    std::uint32_t g = 4;               ///< in 1/1024
    std::uint32_t first_alpha = 1024;  ///< in 1/1024, with the first CNP
    AlphaUpdate alpha_update = AlphaUpdate::cnp;
    Time alpha_timer = kMicrosecond * 55;  ///< so long without a CNP: alpha falls
    Time reduction_interval;               ///< the rate falls at the end of one in which a CNP came; 0: at once
    TargetUpdate target_update = TargetUpdate::reduction;
    Time rate_timer = kMicrosecond * 55;          ///< the rate rises each time, ...
    std::int64_t byte_counter = 10'000'000;       ///< ... and each time so many bytes have been sent
    std::uint32_t fast_recovery = 5;              ///< so many events of either kind halve the way back
    std::int64_t additive_increase = 40'000'000;  ///< bit/s, of each event after these
    std::int64_t hyper_increase = 400'000'000;    ///< bit/s, when there have been more of both
    std::int64_t least_rate = 100'000'000;        ///< bit/s
};

}  // namespace rnicsim::rc
