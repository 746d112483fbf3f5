// SPDX-License-Identifier: Apache-2.0
// The iMC's write queue and the modules of storage class memory behind it (README.md).
#pragma once

#include "model/host/persistence/bookings.h"
#include "model/host/persistence/config.h"
#include "model/host/persistence/newest_writes.h"

#include <cstdint>

namespace rnicsim {

class ScmQueue {
  public:
    ScmQueue(const ImcConfig& imc, const ScmConfig& scm);

    /// A place in the queue, and the write of SCM with which its line leaves it: neighbours in the queue that lie in
    /// one of SCM's lines share one.
    struct Place {
        Time from;             ///< it is kept from then on
        Time entered{};        ///< the write's first line comes in
        Time begin{}, done{};  ///< of the write; done: they leave the queue
        bool joined = false;   ///< ... is booked
    };
    /// From `from` on, the first for a line that then comes in after `way`.
    [[nodiscard]] Place room(Time from, Time way, std::uint64_t line) const;
    /// How many lines side by side, from the place's on, can come in `step` apart and leave with its write: at least
    /// one.
    [[nodiscard]] std::size_t together(const Place& place, Time way, Time step, std::uint64_t line,
                                       std::size_t most) const;
    /// So many lines that can do so come in together, `step` apart: returns when they have left to SCM. Nothing else
    /// has been booked meanwhile.
    Time take(const Place& place, std::uint64_t line, std::size_t lines, Time step);

    /// Of a read that begins at `from`, or when the modules are free: when its last byte is there. Bytes > 0.
    Time read(Time from, std::uint64_t address, std::int64_t bytes);

    /// Nothing is asked for before `now` any more.
    void forget(Time now);

  private:
    [[nodiscard]] Place place_of(Time from, Time way, std::uint64_t line) const;
    [[nodiscard]] std::uint64_t scm_line(std::uint64_t line) const { return line >> shift_; }

    const Time latency_;
    const std::uint64_t line_bytes_;
    const int shift_;       // lines of 64 bytes in one of SCM, a power of two
    const Time line_time_;  // how long writing a line of SCM takes
    const std::int64_t read_rate_;
    const Time read_latency_;
    Places places_;
    BusyTimes writes_, reads_;
    NewestWrites newest_;  // by line of SCM
};

}  // namespace rnicsim
