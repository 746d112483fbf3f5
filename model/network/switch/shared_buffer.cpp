#include "model/network/switch/shared_buffer.h"

#include <algorithm>
#include <cassert>

namespace rnicsim {

SharedBuffer::SharedBuffer(const SwitchConfig& config, std::size_t queues, std::int64_t headroom)
    : config_(config),
      queues_(queues),
      queue_high_water_(queues),
      pool_(config.buffer - config.reserve * static_cast<std::int64_t>(queues) - headroom) {
    assert(pool_ >= 0);
}

std::optional<DropReason> SharedBuffer::admit(std::size_t number, std::int64_t bytes) {
    const std::int64_t queue = queues_.at(number);
    const std::int64_t longer = queue + in_cells(bytes);
    const std::int64_t more = shared(longer) - shared(queue);  // of the pool
    const std::int64_t free = pool_ - shared_;
    if (more > free) return DropReason::buffer;
    if (config_.admission == Admission::fixed_limit) {
        if (longer > config_.queue_limit) return DropReason::queue_limit;
    } else if (more > 0 && static_cast<double>(shared(queue)) >= config_.alpha * static_cast<double>(free)) {
        // The frame before it may pass the threshold: it is compared before the frame is added, as in hardware.
        return DropReason::threshold;
    }
    shared_ += more;
    grow(number, longer - queue);
    return std::nullopt;
}

void SharedBuffer::grow(std::size_t number, std::int64_t by) {
    used_ += by;
    std::int64_t& queue = queues_.at(number);
    queue += by;
    high_water_ = std::max(high_water_, used_);
    queue_high_water_[number] = std::max(queue_high_water_[number], queue);
}

void SharedBuffer::hold(std::size_t number, std::int64_t cells, std::int64_t shared) {
    shared_ += shared;
    assert(shared_ <= pool_);
    grow(number, cells);
}

void SharedBuffer::let_go(std::size_t number, std::int64_t cells, std::int64_t shared) {
    shared_ -= shared;
    used_ -= cells;
    queues_.at(number) -= cells;
    assert(shared_ >= 0 && queues_.at(number) >= 0);
}

void SharedBuffer::release(std::size_t number, std::int64_t bytes) {
    std::int64_t& queue = queues_.at(number);
    const std::int64_t shorter = queue - in_cells(bytes);
    assert(shorter >= 0);
    shared_ -= shared(queue) - shared(shorter);
    used_ -= queue - shorter;
    queue = shorter;
}

}  // namespace rnicsim
