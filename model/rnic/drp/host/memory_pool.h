// SPDX-License-Identifier: Apache-2.0
// Memory that can be registered, and the other tasks of the host that hold parts of it now and then. Here a
// registration fails because the memory is in use, not because of a draw.
#pragma once

#include "model/faults/fault_source.h"
#include "model/rnic/drp/host/config.h"

#include <cstdint>
#include <vector>

namespace rnicsim {

class MemoryPool {
  public:
    /// `faults`: decides when and how long tasks hold memory; not owned.
    MemoryPool(const MemoryPoolConfig& config, FaultSource& faults, unsigned end);

    /// Takes `bytes`; false if not enough is free. A pool of size 0 has no limit.
    bool take(std::uint64_t bytes);
    void give_back(std::uint64_t bytes);
    [[nodiscard]] std::uint64_t in_use() const { return in_use_; }

    /// When each task's state changes for the first time. Some of them hold memory from the beginning.
    [[nodiscard]] const std::vector<Cycle>& first_changes() const { return first_changes_; }

    struct Change {
        std::uint32_t task = 0;
        Cycle next;  ///< when its state changes again; kNever: it waits for memory
    };
    /// Task `index` takes or gives back its memory at `now`; if too little is free it waits.
    Change change(std::uint32_t index, Cycle now);
    /// After something was given back: the waiting tasks, oldest first, that get their memory now.
    [[nodiscard]] std::vector<Change> serve(Cycle now);

  private:
    struct Task {
        bool holds = false;
        std::uint64_t periods = 0;  ///< that have begun
    };
    /// When the period of this task that begins at `now` ends.
    [[nodiscard]] Cycle end_of_period(std::uint32_t index, Cycle now);

    const MemoryPoolConfig config_;
    FaultSource& faults_;
    unsigned end_;
    std::uint64_t in_use_ = 0;
    std::vector<Task> tasks_;
    std::vector<std::uint32_t> waiting_;
    std::vector<Cycle> first_changes_;
};

}  // namespace rnicsim
