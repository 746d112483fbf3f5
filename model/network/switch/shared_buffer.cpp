#include "model/network/switch/shared_buffer.h"

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

}  // namespace rnicsim
