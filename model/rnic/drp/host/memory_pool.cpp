// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/host/memory_pool.h"

namespace rnicsim {

MemoryPool::MemoryPool(const MemoryPoolConfig& config, FaultSource& faults, unsigned end)
    : config_(config), faults_(faults), end_(end), tasks_(config.tasks) {
    for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
        tasks_[i].holds = faults_.holds_at_start(end_, i) && take(config_.held);
        first_changes_.push_back(end_of_period(i, {}));
    }
}

bool MemoryPool::take(std::uint64_t bytes) {
    if (config_.size != 0 && bytes > config_.size - in_use_) return false;
    in_use_ += bytes;
    return true;
}

void MemoryPool::give_back(std::uint64_t bytes) { in_use_ -= bytes; }

MemoryPool::Change MemoryPool::change(std::uint32_t index, Cycle now) {
    Task& task = tasks_[index];
    if (task.holds) {
        give_back(config_.held);
        task.holds = false;
        return {index, end_of_period(index, now)};
    }
    // No task overtakes another: all ask for the same amount, and freed memory goes to those that wait (serve()).
    if (!take(config_.held)) {
        waiting_.push_back(index);
        return {index, kNever};
    }
    task.holds = true;
    return {index, end_of_period(index, now)};
}

std::vector<MemoryPool::Change> MemoryPool::serve(Cycle now) {
    std::vector<Change> served;
    while (!waiting_.empty() && take(config_.held)) {
        const std::uint32_t index = waiting_.front();
        waiting_.erase(waiting_.begin());
        tasks_[index].holds = true;
        served.push_back({index, end_of_period(index, now)});
    }
    return served;
}

Cycle MemoryPool::end_of_period(std::uint32_t index, Cycle now) {
    Task& task = tasks_[index];
    const Cycle time = faults_.task_time(end_, index, task.periods++, task.holds);
    return time == kNever ? kNever : now + time;
}

}  // namespace rnicsim
