// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/send_queue.h"

#include <algorithm>

namespace rnicsim::applications {

std::optional<WorkRequest> SendQueue::next() {
    if (waiting_.empty() || has_none()) return {};
    WorkRequest what = waiting_.front();
    waiting_.pop_front();
    tags_[posted_++ % tags_.size()] = what.tag;
    unsignaled_ = what.signaled ? 0 : unsignaled_ + 1;
    return what;
}

std::uint32_t SendQueue::completed(std::uint32_t number) {
    completed_ = number + 1;
    unsignaled_ = std::min(unsignaled_, outstanding());
    return tags_[number % tags_.size()];
}

}  // namespace rnicsim::applications
