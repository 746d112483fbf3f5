// SPDX-License-Identifier: Apache-2.0
// Hears what a RoCEv2 RNIC counts, as it happens to a QP, and how far its messages are: as RcActions, with the time.
#pragma once

#include "model/rnic/rc/actions.h"
#include "model/rnic/rc/counts.h"
#include "tlm/roce/psn.h"

namespace rnicsim::rc {

class RcObserver {
  public:
    virtual ~RcObserver() = default;
    virtual void noted(roce::Qpn qp, RcCount what) = 0;
    virtual void reached(roce::Qpn qp, Stage stage, std::uint32_t end, Time at) = 0;
    virtual void progressed(roce::Qpn qp, bool again, Time at) = 0;
    virtual void goes_back(roce::Qpn qp, Time not_before, Time at) = 0;
};

}  // namespace rnicsim::rc
