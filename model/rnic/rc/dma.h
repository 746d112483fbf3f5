// SPDX-License-Identifier: Apache-2.0
// DMA of a RoCEv2 RNIC: what for, and where its bytes lie on the card.
#pragma once

#include "model/rnic/common/dma_engine.h"
#include "tlm/ethernet/frame.h"

#include <algorithm>
#include <cstddef>

namespace rnicsim::rc {

namespace dma_purpose {
inline constexpr DmaSource kPayload{0}, kWqe{1}, kCqe{2}, kAtomic{3}, kLine{4}, kFlush{5};
}  // namespace dma_purpose

/// A frame's buffer, for bytes that are none: nothing is allocated, and it lives as long as the DMA needs it.
/// Precondition: not more than the room of a frame.
inline FrameRef staging(FramePool& frames, std::size_t bytes) {
    FrameRef frame = frames.take();
    frame->set_length_from_header(std::max(bytes, kMinFrameBytes));
    return frame;
}

}  // namespace rnicsim::rc
