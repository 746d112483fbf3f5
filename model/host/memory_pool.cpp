#include "model/host/memory_pool.h"

#include <algorithm>
#include <cmath>

namespace rnicsim {

MemoryPool::MemoryPool(const MemoryPoolConfig& config, const RandomSource& random, unsigned end)
    : config_(config), random_(random), end_(end), tasks_(config.tasks) {
    // As if it had gone on for ever: times are exponential, so what is left of one has the distribution of a whole one.
    const double share = static_cast<double>(config.hold_time.n) /
                         static_cast<double>(std::max<std::int64_t>(1, config.hold_time.n + config.rest_time.n));
    for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
        tasks_[i].holds = uniform(i) < share && take(config_.held);
        first_changes_.push_back(duration(i, tasks_[i].holds ? config_.hold_time : config_.rest_time));
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
        return {index, now + duration(index, config_.rest_time)};
    }
    // Nobody overtakes: who waits already comes first.
    if (!waiting_.empty() || !take(config_.held)) {
        waiting_.push_back(index);
        return {index, kNever};
    }
    task.holds = true;
    return {index, now + duration(index, config_.hold_time)};
}

std::vector<MemoryPool::Change> MemoryPool::serve(Cycle now) {
    std::vector<Change> served;
    while (!waiting_.empty() && take(config_.held)) {
        const std::uint32_t index = waiting_.front();
        waiting_.erase(waiting_.begin());
        tasks_[index].holds = true;
        served.push_back({index, now + duration(index, config_.hold_time)});
    }
    return served;
}

double MemoryPool::uniform(std::uint32_t index) {
    return random_.uniform(RandomStream::memory_task, end_, index, tasks_[index].draws++);
}

/// Exponential with this mean, at least a cycle.
Cycle MemoryPool::duration(std::uint32_t index, Cycle mean) {
    const double drawn = -std::log1p(-uniform(index)) * static_cast<double>(mean.n);
    return {std::max<std::int64_t>(1, std::llround(drawn))};
}

}  // namespace rnicsim
