// SPDX-License-Identifier: Apache-2.0
#include "model/host/persistence/scm_queue.h"

#include <algorithm>
#include <bit>

namespace rnicsim {

ScmQueue::ScmQueue(const ImcConfig& imc, const ScmConfig& scm)
    : latency_(imc.latency),
      line_bytes_(static_cast<std::uint64_t>(scm.line)),
      shift_(std::countr_zero(line_bytes_ / kLineBytes)),
      line_time_(time_of(scm.line, scm.write * scm.modules)),
      read_rate_(scm.read * scm.modules),
      read_latency_(scm.read_latency),
      places_(imc.capacity * scm.modules / kLineBytes) {}

/// A line joins the write of its neighbours while they are in the queue.
ScmQueue::Place ScmQueue::place_of(Time from, Time way, std::uint64_t line) const {
    const Time enters = from + way;
    const NewestWrites::Write* const newest = newest_.find(scm_line(line));
    if (newest != nullptr && newest->entered <= enters && enters <= newest->done)
        return {from, newest->entered, {}, newest->done, true};
    const Time begin = writes_.free(enters, line_time_);
    return {from, enters, begin, begin + latency_, false};
}

ScmQueue::Place ScmQueue::room(Time from, Time way, std::uint64_t line) const {
    for (;;) {
        const Place place = place_of(places_.free(from), way, line);
        const Time full = places_.full(place.from, place.done);
        if (full == kEndOfTime) return place;
        from = full + kPicosecond;
    }
}

std::size_t ScmQueue::together(const Place& place, Time way, Time step, std::uint64_t line, std::size_t most) const {
    const std::uint64_t next = (scm_line(line) + 1) << shift_;  // line of another write
    const std::size_t n = places_.vacant(place.from, std::min<std::size_t>(most, next - line));
    const bool in_time = n > 1 && place.from + way + step * static_cast<std::int64_t>(n - 1) <= place.done;
    return in_time ? n : 1;
}

Time ScmQueue::take(const Place& place, std::uint64_t line, std::size_t lines, Time step) {
    if (!place.joined) {
        writes_.book(place.begin, line_time_);
        newest_.put(scm_line(line), {place.entered, place.done});
    }
    Time from = place.from;
    for (; lines > 0; --lines, from += step) {
        places_.enter(from);
        places_.leave(place.done);
    }
    return place.done;
}

Time ScmQueue::read(Time from, std::uint64_t address, std::int64_t bytes) {
    const std::uint64_t first = address / line_bytes_;
    const std::uint64_t last = (address + static_cast<std::uint64_t>(bytes) - 1) / line_bytes_;
    const Time busy = time_of(static_cast<std::int64_t>((last - first + 1) * line_bytes_), read_rate_);
    const Time begin = reads_.free(from, busy);
    reads_.book(begin, busy);
    return begin + time_of(bytes, read_rate_) + read_latency_;
}

void ScmQueue::forget(Time now) {
    writes_.forget(now);
    reads_.forget(now);
    places_.forget(now);
    newest_.forget(now);
}

}  // namespace rnicsim
