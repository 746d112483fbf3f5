// SPDX-License-Identifier: Apache-2.0
// What an answer means for the send queue (V-C1 to V-C10).
#pragma once

#include "model/rnic/rc/qp.h"

namespace rnicsim::rc {

/// An ACK, NAK, READ response or atomic answer.
void on_response(Qp& qp, const roce::Header& header, Decision& d);

}  // namespace rnicsim::rc
