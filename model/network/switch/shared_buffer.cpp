// SPDX-License-Identifier: Apache-2.0
#include "model/network/switch/shared_buffer.h"

#include <algorithm>
#include <cassert>

namespace rnicsim {

SharedBuffer::SharedBuffer(const SwitchConfig& config, std::size_t queues, std::int64_t headroom)
    : config_(config),
      queues_(queues),
      pool_(config.buffer - config.reserve * static_cast<std::int64_t>(queues) - headroom) {
    assert(pool_ >= 0);
}

void SharedBuffer::hold(std::size_t number, std::int64_t cells, std::int64_t shared) {
    shared_ += shared;
    assert(shared_ <= pool_);
    grow(queues_[number], cells);
}

void SharedBuffer::let_go(std::size_t number, std::int64_t cells, std::int64_t shared) {
    shared_ -= shared;
    used_ -= cells;
    queues_[number].bytes -= cells;
    assert(shared_ >= 0 && queues_[number].bytes >= 0);
}

void SharedBuffer::grow(Queue& queue, std::int64_t by) {
    used_ += by;
    queue.bytes += by;
    high_water_ = std::max(high_water_, used_);
    queue.high_water = std::max(queue.high_water, queue.bytes);
}

std::optional<DropReason> SharedBuffer::admit(std::size_t number, std::int64_t bytes) {
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

void SharedBuffer::release(std::size_t number, std::int64_t bytes) {
    std::int64_t& queue = queues_[number].bytes;
    const std::int64_t shorter = queue - in_cells(bytes);
    assert(shorter >= 0);
    shared_ -= shared(queue) - shared(shorter);
    used_ -= queue - shorter;
    queue = shorter;
}

}  // namespace rnicsim
