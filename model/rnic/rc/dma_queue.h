// SPDX-License-Identifier: Apache-2.0
// The DMA engine of a RoCEv2 RNIC, and the writes that wait for it. While there are many no packet is taken from the
// receive buffer: what a card has promised to write does not grow without bound. Reads are bounded by what is sent.
#pragma once

#include "model/rnic/common/dma_engine.h"

#include <array>
#include <cstddef>

namespace rnicsim::rc {

class DmaBacklog {
  public:
    static constexpr std::size_t kMost = 32;  ///< writes

    void add(Cycle taken) {
        taken_[next_] = taken;
        next_ = (next_ + 1) % kMost;
    }
    /// From then on fewer than kMost of them wait.
    [[nodiscard]] Cycle has_room_at() const { return taken_[next_]; }

  private:
    std::array<Cycle, kMost> taken_{};  // when the engine has sent the last TLP of the last ones
    std::size_t next_ = 0;
};

class QueuedDma final : public DmaEngine {
  public:
    /// The backlog is not owned.
    QueuedDma(const PcieConfig& config, DmaBacklog& backlog) : engine_(config), backlog_(backlog) {}

    Cycle issue(Cycle at, Direction direction, std::span<Piece> pieces) override {
        const Cycle first = engine_.issue(at, direction, pieces);
        if (direction == Direction::read) return first;
        std::uint32_t tlps = 0;
        for (const Piece& piece : pieces) tlps += piece.count.tlps;
        backlog_.add(first + Cycle{tlps});
        return first;
    }

  private:
    DmaEngineModel engine_;
    DmaBacklog& backlog_;
};

}  // namespace rnicsim::rc
