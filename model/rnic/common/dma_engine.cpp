// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/common/dma_engine.h"

#include <algorithm>

namespace rnicsim {

Cycle DmaEngineModel::issue(Cycle at, Direction direction, std::span<Piece> pieces) {
    const Cycle first = std::max(at, free_) + config_.request_overhead;
    free_ = first;
    for (Piece& piece : pieces) {
        piece.count = direction == Direction::write
                          ? memory_write_tlps(piece.address, piece.bytes, config_.max_payload)
                          : memory_read_tlps(piece.address, piece.bytes, config_.max_read_request);
        free_ += Cycle{piece.count.tlps};
    }
    return first;
}

}  // namespace rnicsim
