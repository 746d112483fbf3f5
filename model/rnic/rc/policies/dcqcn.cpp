// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/policies/dcqcn.h"

#include <algorithm>
#include <utility>

namespace rnicsim::rc {
namespace {

constexpr unsigned kAlphaShift = 10;  // from 1/1024 to 2^-20

}  // namespace

void Dcqcn::on_cnp(Time now, const DcqcnConfig& config) {
    advance(now, config);
    if (!heard_) alpha_ = config.first_alpha << kAlphaShift;
    heard_ = true;
    if (!limited_) {
        current_ = target_ = config.most_rate;
        intervals_from_ = now;
        rate_due_ = kEndOfTime;  // until the first reduction
        bytes_ = 0;
        timer_events_ = byte_events_ = 0;
        limited_ = true;
    }
    if (config.reduction_interval == Time{}) {
        reduce(now, config);
    } else {
        const std::int64_t over = (now - intervals_from_).ps / config.reduction_interval.ps;
        reduction_due_ = intervals_from_ + config.reduction_interval * (over + 1);
    }
    if (config.alpha_update == AlphaUpdate::cnp) {
        grow_alpha(config);
        alpha_due_ = now + config.alpha_timer;
    } else {
        heard_in_period_ = true;
        if (alpha_due_ == kEndOfTime) alpha_due_ = now + config.alpha_timer;
    }
}

void Dcqcn::grow_alpha(const DcqcnConfig& config) {
    alpha_ += static_cast<std::uint32_t>((std::uint64_t{kOne - alpha_} * config.g) >> 10U);
}

/// Alpha's timer expires.
void Dcqcn::update_alpha(const DcqcnConfig& config) {
    alpha_due_ += config.alpha_timer;
    if (std::exchange(heard_in_period_, false)) return grow_alpha(config);
    alpha_ = static_cast<std::uint32_t>((std::uint64_t{alpha_} * (1024 - config.g)) >> 10U);
    if (alpha_ == 0) alpha_due_ = kEndOfTime;
}

void Dcqcn::reduce(Time at, const DcqcnConfig& config) {
    if (config.target_update == TargetUpdate::reduction || timer_events_ != 0) target_ = current_;
    // current x alpha / 2: below 10^12 x 2^20, so it fits.
    current_ -= (current_ * alpha_) >> 21U;
    current_ = std::max(current_, config.least_rate);
    reduction_due_ = kEndOfTime;
    rate_due_ = at + config.rate_timer;
    bytes_ = 0;
    timer_events_ = byte_events_ = 0;
}

/// At one time alpha is first, as a reduction needs it, and the rate rises last.
void Dcqcn::advance(Time now, const DcqcnConfig& config) {
    while (true) {
        const Time rises = limited_ ? rate_due_ : kEndOfTime;
        const Time due = std::min({alpha_due_, reduction_due_, rises});
        if (due > now) return;
        if (due == alpha_due_) {
            update_alpha(config);
        } else if (due == reduction_due_) {
            reduce(due, config);
        } else {
            rate_due_ += config.rate_timer;
            ++timer_events_;
            increase(config);
        }
    }
}

void Dcqcn::increase(const DcqcnConfig& config) {
    const auto [fewer, more] = std::minmax(timer_events_, byte_events_);
    if (more > config.fast_recovery) {
        target_ += fewer > config.fast_recovery ? config.hyper_increase : config.additive_increase;
        target_ = std::min(target_, config.most_rate);
    }
    current_ = target_ - (target_ - current_) / 2;  // rounded up, so that it arrives
    limited_ = current_ < config.most_rate || reduction_due_ != kEndOfTime;
}

void Dcqcn::on_sent(Time now, std::uint32_t bytes, const DcqcnConfig& config) {
    advance(now, config);
    pace(now, bytes);  // at the rate at which it leaves
    bytes_ += bytes;
    if (!limited_ || bytes_ < config.byte_counter) return;
    bytes_ -= config.byte_counter;
    ++byte_events_;
    increase(config);
}

void Dcqcn::pace(Time now, std::uint32_t bytes) {
    const std::int64_t bits = std::int64_t{8} * bytes * kSecond.ps + remainder_;  // in 1e-12; below 10^17
    const Time gap{bits / current_};
    remainder_ = bits % current_;
    // Late by the card's clock or another QP's packet, it keeps its plan; after a rest it has no credit.
    if (now >= next_packet_ + gap) next_packet_ = now;
    next_packet_ += gap;
}

}  // namespace rnicsim::rc
