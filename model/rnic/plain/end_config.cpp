// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/plain/end_config.h"

#include "tlm/ethernet/frame.h"
#include "tlm/ethernet/pause_frame.h"

namespace rnicsim {

std::size_t PlainEndConfig::largest_frame() const {
    return static_cast<std::size_t>(mtu) + kEthernetHeaderBytes + kFcsBytes;
}

void PlainEndConfig::join(const MacTiming& link) {
    if (reaction == Time{}) reaction = longest_pause_reaction(link);
}

}  // namespace rnicsim
