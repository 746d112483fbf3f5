// SPDX-License-Identifier: Apache-2.0
// Selective repeat at the responder: payload of WRITEs that comes ahead of the expected PSN (V-S10 to V-S12).
#pragma once

#include "model/rnic/rc/request_checks.h"

namespace rnicsim::rc {

/// The WRITE that this PSN belongs to, if it is known; of one whose first packet is expected it is not.
std::optional<KnownWrite> write_of(const Responder& r, Psn psn, std::uint32_t mtu);
/// Takes a request that is ahead. False: it is dropped, and may be answered by NAK sequence.
bool take_early(Qp& qp, const RequestKind& kind, const roce::Header& header, Decision& d);
/// The expected PSN has been executed: passes those behind it that have come. True: there were some. If the expected
/// one is among them still, it goes on with a message that has not begun.
bool pass_early(Qp& qp);

}  // namespace rnicsim::rc
