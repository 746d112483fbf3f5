// SPDX-License-Identifier: Apache-2.0
// What a host's processor pays for the operating system's part in RDMA. Times in cycles of its clock.
#pragma once

#include "model/host/cpu/store_config.h"
#include "tlm/time/cycle.h"
#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim {

/// A call that pins memory, or gives it back: from call to return.
struct PinCost {
    Time base = kMicrosecond * 10;
    Time page{};  ///< of each page
    [[nodiscard]] Time of(std::uint64_t pages) const { return base + page * static_cast<std::int64_t>(pages); }
};

/// Of a call that copies memory: `base`, and its bytes at one of two rates, in bytes a second; 0: they take no time.
struct CopyCost {
    Cycle base{};
    std::int64_t cold = 0, warm = 0;
    std::uint32_t llc = 1U << 20U;  ///< up to so many bytes are warm
};

/// Registrations that the operating system refuses, for want of memory that it may pin.
struct PinFaults {
    double failure = 0;  ///< 0..1, drawn for each attempt
    Cycle retry{};       ///< from the return of a call that failed until the program tries again
};

struct CpuConfig {
    Cycle wake{};             ///< from the handler of an interrupt to the thread that slept until then
    Cycle event_read{};       ///< taking an event from a completion channel
    Cycle arm{};              ///< asking a CQ for its next event
    std::uint32_t cores = 1;  ///< that run threads of the host's program
    Cycle context_switch{};   ///< a core turns to another thread
    PinCost registration{}, deregistration{};
    PinFaults pin_faults{};
    Cycle touch{};    ///< the first write to a page of 4 KiB
    Cycle ipc{};      ///< a call of another process of the host, and its answer
    Cycle syscall{};  ///< of a stream: each call
    Cycle epoll{};    ///< epoll_wait() that tells of a stream
    CopyCost copy{};
    StoreConfig store{};  ///< to devices behind a bridge
    /// Does a thread pay for interrupts?
    [[nodiscard]] bool charges_events() const { return wake + event_read + arm != Cycle{}; }
};

}  // namespace rnicsim
