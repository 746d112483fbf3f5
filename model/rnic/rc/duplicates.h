// SPDX-License-Identifier: Apache-2.0
// Requests behind the expected PSN: never executed again, but answered (V-S2, V-S13).
#pragma once

#include "model/rnic/rc/request_checks.h"

namespace rnicsim::rc {

void on_duplicate(Qp& qp, const RequestKind& kind, const roce::Header& header, Decision& d);

}  // namespace rnicsim::rc
