// SPDX-License-Identifier: Apache-2.0
// When a bridge's link is down, as the faults of a run say. It looks ahead, a while at a time.
#pragma once

#include "model/faults/fault_source.h"
#include "tlm/time/time.h"

#include <algorithm>
#include <optional>

namespace rnicsim::ntb {

class Outages {
  public:
    /// `faults` outlive it. `link`: its number there. `ahead`: how far it looks.
    Outages(FaultSource& faults, unsigned link, Time ahead) : faults_(&faults), link_(link), ahead_(ahead) {}

    [[nodiscard]] Time next_due() const { return next_; }
    /// To be called at next_due(). Is the link up from now on?
    [[nodiscard]] bool act(Time now) {
        if (down_ && now < down_->to) {
            faults_->outage(link_, now, now + kPicosecond);  // it has begun
            next_ = down_->to;
            return false;
        }
        if (!down_) until_ = now + ahead_;
        look(now);
        return true;
    }

  private:
    void look(Time now) {
        down_ = faults_->outage(link_, now, until_);
        next_ = down_ ? std::max(down_->from, now) : std::max(until_, now);
    }

    FaultSource* faults_;
    unsigned link_;
    Time ahead_, until_{}, next_{};
    std::optional<LinkDown> down_;  // it is, or will be next
};

}  // namespace rnicsim::ntb
