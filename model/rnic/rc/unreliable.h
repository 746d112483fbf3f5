// SPDX-License-Identifier: Apache-2.0
// Unreliable connection: the responder (V-U1, V-U3).
#pragma once

#include "model/rnic/rc/qp.h"

namespace rnicsim::rc {

/// A packet of UC. Precondition: the QP takes requests.
Taken on_unreliable(Qp& qp, const roce::Header& header, Decision& d);

}  // namespace rnicsim::rc
