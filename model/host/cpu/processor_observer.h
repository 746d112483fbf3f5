// SPDX-License-Identifier: Apache-2.0
// Hears what the cores of a host work for, as it is booked.
#pragma once

#include "model/host/cpu/charge.h"
#include "tlm/time/cycle.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace rnicsim {

enum class Thread : std::uint32_t;

enum class WorkedBy : std::uint8_t {
    thread,    ///< the program itself
    kernel,    ///< in a call of the thread, or to wake it
    interrupt  ///< on the thread's core, for whatever it is
};
inline constexpr std::array<std::string_view, 3> kWorkedByNames{"thread", "kernel", "interrupt"};

class ProcessorObserver {
  public:
    virtual ~ProcessorObserver() = default;
    /// On the core of this thread, from here to there.
    virtual void worked(Thread thread, Charge kind, WorkedBy by, Cycle from, Cycle to) = 0;
};

}  // namespace rnicsim
