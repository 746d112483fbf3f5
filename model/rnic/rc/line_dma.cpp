// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/line_dma.h"

#include "model/rnic/rc/dma.h"

#include <algorithm>
#include <utility>

namespace rnicsim::rc {

void LineDma::read_line(Cycle now, LineId line, std::uint64_t address, std::uint32_t bytes) {
    FrameRef staged = staging(frames_, bytes);
    std::uint8_t* const into = staged->writable_bytes().data();
    pcie_.read(now, address, bytes, dma_purpose::kLine,
               {*this, into, static_cast<std::uint32_t>(line), std::move(staged)});
}

void LineDma::read_done(Cycle now, std::uint64_t context, FrameRef /*frame*/) {
    lines_.came(now, LineId{static_cast<std::uint32_t>(context)});
}

void LineDma::write_line(Cycle now, std::uint64_t address, std::uint32_t bytes) {
    FrameRef staged = staging(frames_, bytes);
    std::ranges::fill(staged->writable_bytes().first(bytes), std::uint8_t{0});
    const std::uint8_t* const data = staged->front(bytes).data();
    const DmaPiece piece{address, data, bytes, std::move(staged)};
    pcie_.write(now, {&piece, 1}, dma_purpose::kLine);
}

}  // namespace rnicsim::rc
