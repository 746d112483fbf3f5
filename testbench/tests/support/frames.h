// SPDX-License-Identifier: Apache-2.0
// Frames as they come from a sender.
#pragma once

#include "tlm/drp/drp_header.h"
#include "tlm/ethernet/frame.h"

namespace rnicsim {

inline constexpr MacAddress kOwn{2, 0, 0, 0, 0, 1};
inline constexpr MacAddress kOther{2, 0, 0, 0, 0, 2};

inline FrameRef drp_frame(FramePool& pool, const DrpHeader& header, const MacAddress& destination = kOwn) {
    FrameRef frame = pool.take();
    frame->format(destination, kOther, kDrpEtherType,
                  kDrpHeaderBytes + (header.type == DrpType::data ? header.len : 0));
    encode(header, frame->writable_client_data().first<kDrpHeaderBytes>());
    frame->seal();
    return frame;
}

}  // namespace rnicsim
