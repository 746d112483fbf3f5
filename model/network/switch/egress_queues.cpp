// SPDX-License-Identifier: Apache-2.0
#include "model/network/switch/egress_queues.h"

#include "tlm/ethernet/frame.h"

#include <algorithm>

namespace rnicsim {
namespace {

bool may_begin(const Ring<QueuedFrame>& queue, Time now, PauseState& pauses) {
    return !queue.empty() && queue.front().ready <= now && !pauses.paused(queue.front().traffic_class, now);
}

}  // namespace

EgressQueues::EgressQueues(const SwitchConfig& config)
    : scheduler_(config.scheduler),
      queues_(config.priorities),
      quantum_(config.priorities),
      deficit_(config.priorities) {
    const std::int64_t largest = config.mtu + static_cast<std::int64_t>(kEthernetHeaderBytes + kFcsBytes);
    for (std::size_t i = 0; i < quantum_.size(); ++i) {
        quantum_[i] = largest * (i < config.weights.size() ? std::int64_t{config.weights[i]} : 1);
    }
}

std::optional<unsigned> EgressQueues::choose(Time now, PauseState& pauses) {
    if (scheduler_ == Scheduler::drr) return round_robin(now, pauses);
    for (std::size_t i = queues_.size(); i-- > 0;) {
        if (may_begin(queues_[i], now, pauses)) return static_cast<unsigned>(i);
    }
    return std::nullopt;
}

std::optional<unsigned> EgressQueues::round_robin(Time now, PauseState& pauses) {
    // A quantum is never less than a frame: whoever may begin does so in its turn, at the latest after one lap.
    for (std::size_t step = 0; step <= queues_.size(); ++step) {
        const Ring<QueuedFrame>& queue = queues_[turn_];
        if (queue.empty()) deficit_[turn_] = 0;  // credit is for those who wait
        if (may_begin(queue, now, pauses)) {
            if (!granted_) deficit_[turn_] += quantum_[turn_];
            granted_ = true;
            if (queue.front().length <= deficit_[turn_]) {
                deficit_[turn_] -= queue.front().length;
                return static_cast<unsigned>(turn_);
            }
        }
        turn_ = (turn_ + 1) % queues_.size();
        granted_ = false;
    }
    return std::nullopt;
}

bool EgressQueues::empty() const {
    return std::ranges::all_of(queues_, [](const Ring<QueuedFrame>& queue) { return queue.empty(); });
}

Time EgressQueues::next_ready(Time now) const {
    Time next = kEndOfTime;
    for (const Ring<QueuedFrame>& queue : queues_) {
        if (!queue.empty() && queue.front().ready > now) next = std::min(next, queue.front().ready);
    }
    return next;
}

}  // namespace rnicsim
