#include "model/rnic/rc/policies/dcqcn.h"

#include <algorithm>

namespace rnicsim::rc {

void Dcqcn::on_cnp(Time now, const DcqcnConfig& config) {
    advance(now, config);
    if (!limited_) current_ = config.most_rate;
    limited_ = true;
    target_ = current_;
    // current x alpha / 2: below 10^12 x 2^20, so it fits.
    current_ -= (current_ * alpha_) >> 21U;
    current_ = std::max(current_, config.least_rate);
    alpha_ += (kOne - alpha_) >> config.g_shift;
    alpha_due_ = now + config.alpha_timer;
    rate_due_ = now + config.rate_timer;
    bytes_ = 0;
    timer_events_ = byte_events_ = 0;
}

void Dcqcn::advance(Time now, const DcqcnConfig& config) {
    for (; alpha_due_ <= now && alpha_ != 0; alpha_due_ += config.alpha_timer) {
        const std::uint64_t scaled = std::uint64_t{alpha_} << config.g_shift;
        alpha_ = static_cast<std::uint32_t>((scaled - alpha_) >> config.g_shift);
    }
    for (; limited_ && rate_due_ <= now; rate_due_ += config.rate_timer) {
        ++timer_events_;
        increase(config);
    }
}

void Dcqcn::increase(const DcqcnConfig& config) {
    const auto [fewer, more] = std::minmax(timer_events_, byte_events_);
    if (more > config.fast_recovery) {
        target_ += fewer > config.fast_recovery ? config.hyper_increase : config.additive_increase;
        target_ = std::min(target_, config.most_rate);
    }
    current_ = target_ - (target_ - current_) / 2;  // rounded up, so that it arrives
    limited_ = current_ < config.most_rate;
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
