// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/parts.h"

#include "tlm/time/clock.h"

#include <algorithm>

namespace rnicsim::runner {

Parts parts_of(const TransferRecord& transfer) {
    Parts parts{};
    for (std::size_t i = 0; i < kTransferParts; ++i) parts[i] = kGmiiClock.time(Cycle{transfer.parts[i]}).ps;
    return parts;
}

/// Of an ordinary frame its wait in the sender and the rest; of one that was lost the wait.
Parts parts_of(const FrameRecord& frame) {
    Parts parts{};
    if (!frame.message) {
        parts[static_cast<std::size_t>(TransferPart::waiting)] = (frame.begin - frame.ready).ps;
        const Time end = frame.lost() ? frame.begin : frame.arrived;
        parts[static_cast<std::size_t>(TransferPart::wire)] = (end - frame.begin).ps;
        return parts;
    }
    for (std::size_t i = 0; i < kMessageParts; ++i)
        parts.at(static_cast<std::size_t>(std::ranges::find(kPartNames, kMessagePartNames[i]) - kPartNames.begin())) =
            frame.parts[i];
    return parts;
}

}  // namespace rnicsim::runner
