// SPDX-License-Identifier: Apache-2.0
// The reaction point of DCQCN (Y. Zhu et al., SIGCOMM 2015, 3.1): how fast a QP may send. Integers only, time is passed
// in, a copy is another one in the same state. Its timers need nobody to wake it: what they have done is worked out
// when a CNP comes or a packet leaves, as nothing else sees it (V-D2 to V-D5).
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
    std::int64_t most_rate = 1'000'000'000;       ///< bit/s: the link's
};

class Dcqcn {
  public:
    static constexpr std::uint32_t kOne = 1U << 20U;  ///< alpha = 1

    /// V-D2.
    void on_cnp(Time now, const DcqcnConfig& config);
    /// A packet leaves; `bytes`: on the wire, with preamble and gap. Precondition: limited().
    void on_sent(Time now, std::uint32_t bytes, const DcqcnConfig& config);
    /// Lets the timers run up to now (V-D3, V-D4).
    void advance(Time now, const DcqcnConfig& config);

    /// A CNP has come, and the rate is not back at the line's. Without, nothing here has to be asked.
    [[nodiscard]] bool limited() const { return limited_; }
    /// Before this no packet leaves.
    [[nodiscard]] Time next_deadline() const { return next_packet_; }

    /// bit/s. Precondition of both: limited().
    [[nodiscard]] std::int64_t current() const { return current_; }
    [[nodiscard]] std::int64_t target() const { return target_; }
    /// In 2^-20.
    [[nodiscard]] std::uint32_t alpha() const { return alpha_; }

  private:
    void update_alpha(const DcqcnConfig& config);
    void grow_alpha(const DcqcnConfig& config);
    void reduce(Time at, const DcqcnConfig& config);
    void increase(const DcqcnConfig& config);
    void pace(Time now, std::uint32_t bytes);

    std::int64_t current_ = 0, target_ = 0;  // bit/s
    Time alpha_due_ = kEndOfTime;            // its timer runs while alpha can fall
    Time reduction_due_ = kEndOfTime;        // a CNP has come since the last one
    Time intervals_from_;                    // the first interval of reductions
    Time rate_due_ = kEndOfTime;
    Time next_packet_;
    std::int64_t remainder_ = 0;  // what the last packet's gap was rounded down by: 1e-12 bits
    std::int64_t bytes_ = 0;      // since the last event of the byte counter
    std::uint32_t timer_events_ = 0, byte_events_ = 0;
    std::uint32_t alpha_ = kOne;
    bool limited_ = false;
    bool heard_ = false;            // a CNP has come, ever
    bool heard_in_period_ = false;  // ... since alpha's timer began
};

}  // namespace rnicsim::rc
