// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/end/end_config.h"

#include "tlm/ethernet/frame.h"
#include "tlm/ethernet/pause_frame.h"

namespace rnicsim {

std::size_t VerbsEndConfig::largest_frame() const {
    return std::size_t{card.gmac.mtu} + kEthernetHeaderBytes + kFcsBytes;
}

void VerbsEndConfig::join(const MacTiming& link) {
    card.wire = link;
    card.transport.line_rate = 8 * kSecond.ps / link.per_byte.ps;
    if (card.pause_reaction == Time{}) card.pause_reaction = longest_pause_reaction(link);
}

}  // namespace rnicsim
