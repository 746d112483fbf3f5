// Hears what a RoCEv2 RNIC counts, as it happens to a QP.
#pragma once

#include "model/rnic/rc/counts.h"
#include "tlm/roce/psn.h"

namespace rnicsim::rc {

class RcObserver {
  public:
    virtual ~RcObserver() = default;
    virtual void noted(roce::Qpn qp, RcCount what) = 0;
};

}  // namespace rnicsim::rc
