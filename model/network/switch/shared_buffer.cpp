#include "model/network/switch/shared_buffer.h"

#include <algorithm>
#include <cassert>

namespace rnicsim {

SharedBuffer::SharedBuffer(const SwitchConfig& config, std::size_t ports)
    : config_(config),
      queues_(ports),
      queue_high_water_(ports),
      pool_(config.buffer - config.reserve * static_cast<std::int64_t>(ports)) {
    assert(pool_ >= 0);
}

std::optional<DropReason> SharedBuffer::admit(std::size_t port, std::int64_t bytes) {
    std::int64_t& queue = queues_.at(port);
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
    used_ += longer - queue;
    queue = longer;
    high_water_ = std::max(high_water_, used_);
    queue_high_water_[port] = std::max(queue_high_water_[port], queue);
    return std::nullopt;
}

void SharedBuffer::release(std::size_t port, std::int64_t bytes) {
    std::int64_t& queue = queues_.at(port);
    const std::int64_t shorter = queue - in_cells(bytes);
    assert(shorter >= 0);
    shared_ -= shared(queue) - shared(shorter);
    used_ -= queue - shorter;
    queue = shorter;
}

}  // namespace rnicsim
