// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/congestion/dcqcn/dcqcn.h"

#include <algorithm>
#include <utility>

namespace rnicsim::rc {
namespace {

constexpr unsigned kAlphaShift = 10;  // from 1/1024 to 2^-20

}  // namespace

void Dcqcn::on_cnp(Time now) {
    on_timer(now);
    if (!heard_) alpha_ = config_.first_alpha << kAlphaShift;
    heard_ = true;
    if (!limited_) {
        current_ = target_ = line_rate_;
        intervals_from_ = now;
        rate_due_ = kEndOfTime;  // until the first reduction
        bytes_ = 0;
        timer_events_ = byte_events_ = 0;
        limited_ = true;
    }
    if (config_.reduction_interval == Time{}) {
        reduce(now);
    } else {
        const std::int64_t over = (now - intervals_from_).ps / config_.reduction_interval.ps;
        reduction_due_ = intervals_from_ + config_.reduction_interval * (over + 1);
    }
    if (config_.alpha_update == AlphaUpdate::cnp) {
        grow_alpha();
        alpha_due_ = now + config_.alpha_timer;
    } else {
        heard_in_period_ = true;
        if (alpha_due_ == kEndOfTime) alpha_due_ = now + config_.alpha_timer;
    }
}

void Dcqcn::grow_alpha() { alpha_ += static_cast<std::uint32_t>((std::uint64_t{kOne - alpha_} * config_.g) >> 10U); }

/// Alpha's timer expires.
void Dcqcn::update_alpha() {
    alpha_due_ += config_.alpha_timer;
    if (std::exchange(heard_in_period_, false)) return grow_alpha();
    alpha_ = static_cast<std::uint32_t>((std::uint64_t{alpha_} * (1024 - config_.g)) >> 10U);
    if (alpha_ == 0) alpha_due_ = kEndOfTime;
}

void Dcqcn::reduce(Time at) {
    if (config_.target_update == TargetUpdate::reduction || timer_events_ != 0) target_ = current_;
    // current x alpha / 2: below 10^12 x 2^20, so it fits.
    current_ -= (current_ * alpha_) >> 21U;
    current_ = std::max(current_, config_.least_rate);
    reduction_due_ = kEndOfTime;
    rate_due_ = at + config_.rate_timer;
    bytes_ = 0;
    timer_events_ = byte_events_ = 0;
}

/// At one time alpha is first, as a reduction needs it, and the rate rises last.
void Dcqcn::on_timer(Time now) {
    while (true) {
        const Time rises = limited_ ? rate_due_ : kEndOfTime;
        const Time due = std::min({alpha_due_, reduction_due_, rises});
        if (due > now) return;
        if (due == alpha_due_) {
            update_alpha();
        } else if (due == reduction_due_) {
            reduce(due);
        } else {
            rate_due_ += config_.rate_timer;
            ++timer_events_;
            increase();
        }
    }
}

void Dcqcn::increase() {
    const auto [fewer, more] = std::minmax(timer_events_, byte_events_);
    if (more > config_.fast_recovery) {
        target_ += fewer > config_.fast_recovery ? config_.hyper_increase : config_.additive_increase;
        target_ = std::min(target_, line_rate_);
    }
    current_ = target_ - (target_ - current_) / 2;  // rounded up, so that it arrives
    limited_ = current_ < line_rate_ || reduction_due_ != kEndOfTime;
}

void Dcqcn::on_sent(Time /*now*/, std::uint32_t bytes) {
    if (!limited_) return;
    bytes_ += bytes;
    if (bytes_ < config_.byte_counter) return;
    bytes_ -= config_.byte_counter;
    ++byte_events_;
    increase();
}

}  // namespace rnicsim::rc
