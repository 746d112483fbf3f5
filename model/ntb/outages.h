// SPDX-License-Identifier: Apache-2.0
// When a bridge's link is down, as the faults of a run say. It looks ahead, a while at a time. Where a next time begins
// at the end of one the link stays down.
#pragma once

#include "model/faults/fault_source.h"
#include "tlm/time/time.h"

#include <optional>

namespace rnicsim::ntb {

class Outages {
  public:
    /// `faults` outlive it. `link`: its number there. `ahead`: how far it looks.
    Outages(FaultSource& faults, unsigned link, Time ahead) : faults_(&faults), link_(link), ahead_(ahead) {}

    [[nodiscard]] Time next_due() const { return next_; }
    /// To be called at next_due(). Is the link up from now on?
    [[nodiscard]] bool act(Time now) {
        while (!down_ || now >= down_->to) {
            if (now >= until_) until_ = now + ahead_;
            down_ = faults_->outage(link_, now, until_);
            next_ = down_ ? down_->from : until_;
            if (next_ > now) return true;
        }
        static_cast<void>(faults_->outage(link_, now, now + kPicosecond));  // it has begun
        next_ = down_->to;
        return false;
    }

  private:
    FaultSource* faults_;
    unsigned link_;
    Time ahead_, until_{}, next_{};
    std::optional<LinkDown> down_;  // it is, or will be next
};

}  // namespace rnicsim::ntb
