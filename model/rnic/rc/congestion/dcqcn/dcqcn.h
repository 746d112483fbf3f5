// SPDX-License-Identifier: Apache-2.0
// The reaction point of DCQCN (Y. Zhu et al., SIGCOMM 2015, 3.1): how fast a QP may send. Integers only, time is passed
// in, a copy is another one in the same state. Its timers need nobody to wake it: what they have done is worked out
// when a CNP comes or a packet leaves, as nothing else sees it (V-D2 to V-D5).
#pragma once

#include "model/rnic/rc/congestion/common/algorithm.h"
#include "model/rnic/rc/congestion/dcqcn/config.h"

#include <cstdint>

namespace rnicsim::rc {

class Dcqcn final : public CongestionControl {
  public:
    static constexpr std::string_view kName = "dcqcn";
    static constexpr Traits kTraits{.hears_marks = true};
    static constexpr std::uint32_t kOne = 1U << 20U;  ///< alpha = 1

    Dcqcn(const DcqcnConfig& config, const CardFacts& card) : config_(config), line_rate_(card.line_rate) {}
    [[nodiscard]] std::unique_ptr<CongestionControl> copy() const override { return std::make_unique<Dcqcn>(*this); }
    [[nodiscard]] static std::optional<std::int64_t> least_rate(const DcqcnConfig& config) { return config.least_rate; }

    /// V-D2.
    void on_cnp(Time now) override;
    void on_sent(Time now, std::uint32_t bytes) override;
    /// V-D3, V-D4.
    void on_timer(Time now) override;
    [[nodiscard]] std::int64_t rate() const override { return limited_ ? current_ : kNoRateLimit; }

    /// bit/s. Precondition: a CNP has come, and the rate is not back at the line's.
    [[nodiscard]] std::int64_t target() const { return target_; }
    /// In 2^-20.
    [[nodiscard]] std::uint32_t alpha() const { return alpha_; }

  private:
    void update_alpha();
    void grow_alpha();
    void reduce(Time at);
    void increase();

    DcqcnConfig config_;
    std::int64_t line_rate_;                 // bit/s
    std::int64_t current_ = 0, target_ = 0;  // bit/s
    Time alpha_due_ = kEndOfTime;            // its timer runs while alpha can fall
    Time reduction_due_ = kEndOfTime;        // a CNP has come since the last one
    Time intervals_from_;                    // the first interval of reductions
    Time rate_due_ = kEndOfTime;
    std::int64_t bytes_ = 0;  // since the last event of the byte counter
    std::uint32_t timer_events_ = 0, byte_events_ = 0;
    std::uint32_t alpha_ = kOne;
    bool limited_ = false;          // a CNP has come, and the rate is not back at the line's
    bool heard_ = false;            // a CNP has come, ever
    bool heard_in_period_ = false;  // ... since alpha's timer began
};

}  // namespace rnicsim::rc
