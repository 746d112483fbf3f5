// SPDX-License-Identifier: Apache-2.0
// The parts of all kinds of samples, as the tables have them: those of a DRP transfer, then those that only a message
// between RoCEv2 RNICs has. A sample adds up to its time, whatever it is.
#pragma once

#include "testbench/records/run_result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rnicsim::runner {

inline constexpr std::size_t kParts = kTransferParts + 5;
inline constexpr std::array<std::string_view, kParts> kPartNames{kTransferPartNames[0],
                                                                 kTransferPartNames[1],
                                                                 kTransferPartNames[2],
                                                                 kTransferPartNames[3],
                                                                 kTransferPartNames[4],
                                                                 kTransferPartNames[5],
                                                                 kTransferPartNames[6],
                                                                 "post",
                                                                 "fetch",
                                                                 "queue",
                                                                 "rnr",
                                                                 "completion"};
using Parts = std::array<std::int64_t, kParts>;  ///< ps

Parts parts_of(const TransferRecord& transfer);
Parts parts_of(const FrameRecord& frame);

}  // namespace rnicsim::runner
