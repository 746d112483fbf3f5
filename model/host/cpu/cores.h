// SPDX-License-Identifier: Apache-2.0
// The cores of a host, and the threads of its program on them: thread i runs on core i modulo their number. A core does
// one thing at a time, in the order in which it is asked.
#pragma once

#include "model/host/cpu/charge.h"
#include "model/host/cpu/config.h"
#include "tlm/time/cycle.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rnicsim {

/// Number of a thread of a host's program, from 0.
enum class Thread : std::uint32_t { first };

class Cores {
  public:
    explicit Cores(const CpuConfig& config) : switch_(config.context_switch), cores_(config.cores) {
        for (std::uint32_t i = 0; i < config.cores; ++i) cores_[i].last = Thread{i};
    }

    /// The core that the thread runs on.
    [[nodiscard]] std::size_t core_of(Thread thread) const {
        return static_cast<std::uint32_t>(thread) % cores_.size();
    }
    /// The thread works for so long, behind what its core is doing. Returns when it is done. A core that has done
    /// something for another thread before turns to this one first.
    Cycle occupy(Thread thread, Cycle from, Charge kind, Cycle cost) {
        Core& core = cores_[core_of(thread)];
        if (core.last != thread) {
            worked_.add(Charge::context_switch, switch_);
            core.free_at = std::max(from, core.free_at) + switch_;
            core.last = thread;
        }
        core.free_at = std::max(from, core.free_at) + cost;
        worked_.add(kind, cost);
        return core.free_at;
    }
    /// The same of an interrupt on the thread's core, which turns to nobody for it.
    Cycle serve(Thread thread, Cycle from, Charge kind, Cycle cost) {
        Core& core = cores_[core_of(thread)];
        core.free_at = std::max(from, core.free_at) + cost;
        worked_.add(kind, cost);
        return core.free_at;
    }
    /// The core turns to the thread at no cost.
    void turn_to(Thread thread) { cores_[core_of(thread)].last = thread; }
    /// When the thread can begin with something new.
    [[nodiscard]] Cycle free_at(Thread thread) const { return cores_[core_of(thread)].free_at; }
    /// How long all of them have worked, and will for what they have been given.
    [[nodiscard]] const Charges& worked() const { return worked_; }
    [[nodiscard]] std::size_t size() const { return cores_.size(); }

  private:
    struct Core {
        Cycle free_at;
        Thread last{};  ///< that it has worked for
    };
    const Cycle switch_;
    std::vector<Core> cores_;
    Charges worked_;
};

}  // namespace rnicsim
