// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/loopback.h"

#include <algorithm>
#include <utility>

namespace rnicsim::rc {

Cycle Loopback::send(FrameRef frame, Cycle now) {
    const Time end = std::max(clock_.time(now), free_at_) + wire_.serialisation(frame->length());
    free_at_ = end + wire_.gap();
    ++frames_;
    if (observer_ != nullptr) observer_->frame_looped(*frame, end);
    receiver_.put_inside(std::move(frame), clock_.edge(end) + latency_);
    return std::max(clock_.cycle(free_at_), now + Cycle{1});
}

}  // namespace rnicsim::rc
