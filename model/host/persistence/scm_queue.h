// The iMC's write queue and the modules of storage class memory behind it (README.md).
#pragma once

#include "model/host/persistence/bookings.h"
#include "model/host/persistence/config.h"

#include <cstdint>
#include <unordered_map>

namespace rnicsim {

class ScmQueue {
  public:
    ScmQueue(const ImcConfig& imc, const ScmConfig& scm);

    /// From `from` on, when there is a place for a line that then comes in after `way`.
    [[nodiscard]] Time room(Time from, Time way, std::uint64_t line) const;
    /// A line: its place is kept from `from` on, it enters after `way`. Returns when it has left to SCM. Precondition:
    /// there is room.
    Time take(Time from, Time way, std::uint64_t line);

    /// Of a read that begins at `from`, or when the modules are free: when its last byte is there. Bytes > 0.
    Time read(Time from, std::uint64_t address, std::int64_t bytes);

    /// Nothing is asked for before `now` any more.
    void forget(Time now);

  private:
    /// One write of SCM: neighbours in the queue that lie in one of its lines.
    struct Write {
        Time entered;         ///< the first of them
        Time begin, done;     ///< done: they leave the queue
        bool joined = false;  ///< ... one that is booked
    };
    [[nodiscard]] Write write_of(Time enters, std::uint64_t line) const;
    [[nodiscard]] std::uint64_t scm_line(std::uint64_t line) const { return line * kLineBytes / line_bytes_; }

    const Time latency_;
    const std::uint64_t line_bytes_;
    const Time line_time_;  // how long writing a line of SCM takes
    const std::int64_t read_rate_;
    const Time read_latency_;
    Places places_;
    BusyTimes writes_, reads_;
    std::unordered_map<std::uint64_t, Write> newest_;  // by line of SCM
    std::size_t many_ = 256;                           // so many are worth a look for those that are over
};

}  // namespace rnicsim
