// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/connection_order.h"

#include <iterator>

namespace rnicsim {

void ConnectionOrder::post(std::uint64_t order) {
    const auto at = messages_.emplace_hint(messages_.end(), order, Message{});
    if (first_ == messages_.end()) first_ = at;
    last_ = order;
}

void ConnectionOrder::becomes_safe(std::uint64_t order) {
    const auto at = messages_.find(order);
    at->second.safe = true;
    if (at != first_) {
        ++inverted_;
        return;
    }
    inverted_ -= first_->second.settled_behind;
    for (++first_; first_ != messages_.end() && first_->second.safe; ++first_)
        inverted_ -= 1 + first_->second.settled_behind;
}

void ConnectionOrder::becomes_unsafe(std::uint64_t order) {
    const auto at = messages_.find(order);
    at->second.safe = false;
    if (first_ != messages_.end() && order > first_->first) {
        --inverted_;
        return;
    }
    inverted_ += at->second.settled_behind;
    for (auto safe = std::next(at); safe != first_; ++safe) inverted_ += 1 + safe->second.settled_behind;
    first_ = at;
}

void ConnectionOrder::settle(std::uint64_t order) {
    const auto at = messages_.find(order);
    if (at != messages_.begin()) std::prev(at)->second.settled_behind += 1 + at->second.settled_behind;
    messages_.erase(at);
}

}  // namespace rnicsim
