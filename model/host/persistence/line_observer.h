// SPDX-License-Identifier: Apache-2.0
// What becomes of writes on their way into storage class memory.
#pragma once

#include "model/host/persistence/config.h"
#include "tlm/time/time.h"

#include <bit>
#include <cstdint>
#include <span>

namespace rnicsim {

/// A write of (a part of) a line of 64 bytes by a device, or by a processor. kEndOfTime: never so far.
struct LineWrite {
    std::uint64_t number = 0;    ///< counted on from 1 over all of the host
    std::uint64_t line = 0;      ///< address / 64
    std::uint64_t mask = 0;      ///< bit i: byte i is written
    bool scm = false;            ///< else it is DRAM's
    bool stored = false;         ///< by a processor, into the LLC
    Time posted = kEndOfTime;    ///< it enters the IIO
    Time iio = kEndOfTime;       ///< it leaves it: the next stage has it
    Time llc = kEndOfTime;       ///< it enters the LLC
    Time adr = kEndOfTime;       ///< it enters the iMC's queue; DRAM's: its controller
    Time scm_done = kEndOfTime;  ///< it leaves the queue to SCM

    [[nodiscard]] std::uint64_t bytes() const {
        // Most lines are whole, and counting bits is a call on machines of all ages.
        return mask == ~std::uint64_t{0} ? std::uint64_t{kLineBytes} : static_cast<std::uint64_t>(std::popcount(mask));
    }
};

/// Hears of each when it is booked, ahead of its times, and not in their order. What an IIO holds until it is pushed is
/// told of then: PersistencePath::oldest_untold().
class LineObserver {
  public:
    virtual ~LineObserver() = default;
    /// In the order of their booking: those of one TLP at once, as far as nothing else is told between them.
    virtual void lines_written(std::span<const LineWrite> writes) {
        for (const LineWrite& write : writes) line_written(write);
    }
    virtual void line_written(const LineWrite& /*write*/) {}
    /// The LLC's copy of its line, as it was since this version had come into it, goes to the iMC: flushed by a
    /// processor, or evicted. What older versions have left in the copy goes with it.
    virtual void line_written_back(std::uint64_t /*number*/, Time /*adr*/, Time /*scm_done*/) {}
};

}  // namespace rnicsim
