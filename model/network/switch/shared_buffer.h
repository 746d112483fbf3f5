// SPDX-License-Identifier: Apache-2.0
// The memory of a switch: one pool for all its queues. Plain decisions, no time.
#pragma once

#include "model/network/switch/config.h"
#include "model/network/switch/drop_reason.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim {

class SharedBuffer {
  public:
    /// `queues`: of all ports. `headroom`: bytes that are nobody's but the lossless classes', in all.
    SharedBuffer(const SwitchConfig& config, std::size_t queues, std::int64_t headroom = 0);

    /// Takes room in this queue, or says why there is none. `bytes` > 0, DA to FCS.
    std::optional<DropReason> admit(std::size_t queue, std::int64_t bytes);
    /// Gives it back. Precondition: as much has been taken.
    void release(std::size_t queue, std::int64_t bytes);

    /// The same of a lossless frame, about which its ingress has decided: `cells` bytes, `shared` of them in the pool.
    void hold(std::size_t queue, std::int64_t cells, std::int64_t shared);
    void let_go(std::size_t queue, std::int64_t cells, std::int64_t shared);

    /// Bytes in whole cells.
    [[nodiscard]] std::int64_t in_cells(std::int64_t bytes) const {
        if (config_.cell == 1) return bytes;  // a division takes as long as all the rest
        return (bytes + config_.cell - 1) / config_.cell * config_.cell;
    }
    [[nodiscard]] std::int64_t free() const { return pool_ - shared_; }
    [[nodiscard]] std::int64_t used() const { return used_; }
    [[nodiscard]] std::int64_t queued(std::size_t queue) const { return queues_[queue].bytes; }
    [[nodiscard]] std::int64_t high_water() const { return high_water_; }
    [[nodiscard]] std::int64_t queue_high_water(std::size_t queue) const { return queues_[queue].high_water; }

  private:
    /// What a queue takes of the shared part of the pool: all above its reserve.
    [[nodiscard]] std::int64_t shared(std::int64_t queue) const {
        return queue > config_.reserve ? queue - config_.reserve : 0;
    }
    struct Queue {
        std::int64_t bytes = 0;
        std::int64_t high_water = 0;
    };
    void grow(Queue& queue, std::int64_t by);

    const SwitchConfig config_;
    std::vector<Queue> queues_;
    std::int64_t pool_;        // bytes that are neither a queue's reserve nor headroom
    std::int64_t shared_ = 0;  // ... in use
    std::int64_t used_ = 0;
    std::int64_t high_water_ = 0;
};

}  // namespace rnicsim
