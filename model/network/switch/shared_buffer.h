// The memory of a switch: one pool for all its queues. Plain decisions, no time.
#pragma once

#include "model/network/switch/config.h"
#include "model/network/switch/drop_reason.h"

#include <algorithm>
#include <cassert>
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

// Each frame of a switch comes by here twice.

inline void SharedBuffer::grow(Queue& queue, std::int64_t by) {
    used_ += by;
    queue.bytes += by;
    high_water_ = std::max(high_water_, used_);
    queue.high_water = std::max(queue.high_water, queue.bytes);
}

inline std::optional<DropReason> SharedBuffer::admit(std::size_t number, std::int64_t bytes) {
    Queue& queue = queues_[number];
    const std::int64_t longer = queue.bytes + in_cells(bytes);
    const std::int64_t more = shared(longer) - shared(queue.bytes);  // of the pool
    const std::int64_t free = pool_ - shared_;
    if (more > free) return DropReason::buffer;
    if (config_.admission == Admission::fixed_limit) {
        if (longer > config_.queue_limit) return DropReason::queue_limit;
    } else if (more > 0 && static_cast<double>(shared(queue.bytes)) >= config_.alpha * static_cast<double>(free)) {
        // The frame before it may pass the threshold: it is compared before the frame is added, as in hardware.
        return DropReason::threshold;
    }
    shared_ += more;
    grow(queue, longer - queue.bytes);
    return std::nullopt;
}

inline void SharedBuffer::release(std::size_t number, std::int64_t bytes) {
    std::int64_t& queue = queues_[number].bytes;
    const std::int64_t shorter = queue - in_cells(bytes);
    assert(shorter >= 0);
    shared_ -= shared(queue) - shared(shorter);
    used_ -= queue - shorter;
    queue = shorter;
}

}  // namespace rnicsim
