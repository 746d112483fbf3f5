// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/messages/shared_receives.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace rnicsim {

std::optional<std::uint32_t> PostedSlots::end(std::uint32_t index) {
    const std::uint32_t at = index - first_;
    if (at >= slots_.size() || slots_[at] == kEnded) return {};
    const std::uint32_t slot = std::exchange(slots_[at], kEnded);
    while (!slots_.empty() && slots_.front() == kEnded) {
        slots_.pop_front();
        ++first_;
    }
    return slot;
}

bool PostedSlots::without_gap() const { return std::ranges::find(slots_, kEnded) == slots_.end(); }

SharedReceives::SharedReceives(const VerbsLayout::Shared& plan, std::uint32_t limit, unsigned host, std::uint32_t key,
                               VerbsDriver& driver, VerbsObserver& observer)
    : buffer_(plan.buffer),
      limit_(limit),
      host_(host),
      key_(key),
      driver_(&driver),
      observer_(&observer),
      queue_(driver.create_receive_queue(plan.ring, true)),
      armed_(limit != 0) {
    free_.reserve(plan.buffer.slots);
    for (std::uint32_t slot = 0; slot < plan.prepared; ++slot) {
        posted(slot);
        driver_->prepare_receive(queue_, buffer(slot));
    }
    if (plan.prepared != 0 && armed_) driver_->arm_limit({}, queue_, limit_);
}

void SharedReceives::ended(Cycle now, std::uint32_t index, Thread thread) {
    const std::optional<std::uint32_t> slot = slots_.end(index);
    if (!slot) throw std::logic_error("a completion of no shared receive WQE");
    free_.push_back(*slot);
    if (!armed_) fill_up(now, thread);
}

/// If nothing has ended that could be posted, then the next that does is: armed at once, the card would say so again.
void SharedReceives::limit_reached(Cycle now) {
    armed_ = false;
    if (!free_.empty()) fill_up(now, Thread::first);
}

void SharedReceives::fill_up(Cycle now, Thread thread) {
    for (const std::uint32_t slot : free_) driver_->post_receive(now, queue_, buffer(slot), thread);
    free_.clear();
    if (limit_ == 0) return;
    armed_ = true;
    driver_->arm_limit(now, queue_, limit_, thread);
}

rc::ReceiveSges SharedReceives::buffer(std::uint32_t slot) const {
    return {rc::Sge{buffer_.slot(slot), buffer_.slot_bytes, key_}};
}

void SharedReceives::posted(std::uint32_t slot) {
    slots_.post(slot);
    observer_->receive_posted(host_, slot);
}

}  // namespace rnicsim
