#include "testbench/workload/shared_receives.h"

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

SharedReceives::SharedReceives(const VerbsLayout::Shared& plan, unsigned host, std::uint32_t key, VerbsDriver& driver,
                               VerbsObserver& observer)
    : buffer_(plan.buffer),
      host_(host),
      key_(key),
      driver_(&driver),
      observer_(&observer),
      queue_(driver.create_receive_queue(plan.ring, true)) {
    for (std::uint32_t slot = 0; slot < plan.prepared; ++slot) {
        posted(slot);
        driver_->prepare_receive(queue_, buffer(slot));
    }
}

void SharedReceives::post_again(Cycle now, std::uint32_t index) {
    const std::optional<std::uint32_t> slot = slots_.end(index);
    if (!slot) throw std::logic_error("a completion of no shared receive WQE");
    posted(*slot);
    driver_->post_receive(now, queue_, buffer(*slot));
}

rc::ReceiveSges SharedReceives::buffer(std::uint32_t slot) const {
    return {rc::Sge{buffer_.slot(slot), buffer_.slot_bytes, key_}};
}

void SharedReceives::posted(std::uint32_t slot) {
    slots_.post(slot);
    observer_->receive_posted(host_, slot);
}

}  // namespace rnicsim
