// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/data_sender.h"

#include <algorithm>
#include <cassert>

namespace rnicsim {

DataSender::DataSender(std::uint32_t frames, const TransportConfig& config)
    : frames_(frames),
      window_(config.window),
      open_(config.window_rule->first(config.window)),
      window_rule_(config.window_rule),
      duplicate_limit_(config.duplicate_acks),
      retransmission_(config.retransmission) {}

bool DataSender::has_next() const {
    if (std::max(resend_, una_) < resend_end_) return true;
    return next_.n < frames_ && next_ - una_ < open_ / kWindowParts;
}

Sn DataSender::next() {
    assert(has_next());
    resend_ = std::max(resend_, una_);
    if (resend_ < resend_end_) {
        const Sn sn = resend_;
        ++resend_;
        return sn;
    }
    const Sn sn = next_;
    ++next_;
    return sn;
}

AckResult DataSender::on_ack(Sn ackn) {
    if (ackn > next_ || ackn < una_) return AckResult::ignored;
    if (ackn > una_) {
        una_ = ackn;
        duplicates_ = 0;
        if (una_ >= recover_) {
            recovering_ = false;
            open_ = window_rule_->on_progress(open_, window_);
        } else if (recovering_ && retransmission_->fills_next_hole() && resend_end_ <= una_) {
            resend_ = una_;  // a partial acknowledgement shows the next hole
            resend_end_ = retransmission_->resend_end(una_, next_);
        }
        return AckResult::progress;
    }
    if (!outstanding()) return AckResult::ignored;
    ++duplicates_;
    if (duplicates_ != duplicate_limit_ || recovering_) return AckResult::duplicate;  // limit 0: off
    open_ = window_rule_->on_loss(open_);
    begin_recovery();
    return AckResult::loss;
}

void DataSender::on_timeout() {
    duplicates_ = 0;
    open_ = window_rule_->on_timeout(open_);
    begin_recovery();
}

void DataSender::begin_recovery() {
    recovering_ = true;
    recover_ = next_;
    resend_ = una_;
    resend_end_ = retransmission_->resend_end(una_, next_);
}

bool DataSender::resume() {
    if (!outstanding() || has_next()) return false;
    duplicates_ = 0;
    recovering_ = false;  // duplicate acknowledgements detect a second loss, as with new frames
    resend_ = una_;
    resend_end_ = next_;
    return true;
}

}  // namespace rnicsim
