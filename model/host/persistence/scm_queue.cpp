#include "model/host/persistence/scm_queue.h"

#include <algorithm>

namespace rnicsim {

ScmQueue::ScmQueue(const ImcConfig& imc, const ScmConfig& scm)
    : latency_(imc.latency),
      line_bytes_(static_cast<std::uint64_t>(scm.line)),
      line_time_(time_of(scm.line, scm.write * scm.modules)),
      read_rate_(scm.read * scm.modules),
      read_latency_(scm.read_latency),
      places_(imc.capacity * scm.modules / kLineBytes) {}

/// A line joins the write of its neighbours while they are in the queue.
ScmQueue::Write ScmQueue::write_of(Time enters, std::uint64_t line) const {
    const auto newest = newest_.find(scm_line(line));
    if (newest != newest_.end() && newest->second.entered <= enters && enters <= newest->second.done) {
        Write write = newest->second;
        write.joined = true;
        return write;
    }
    const Time begin = writes_.free(enters, line_time_);
    return {enters, begin, begin + latency_, false};
}

Time ScmQueue::room(Time from, Time way, std::uint64_t line) const {
    for (;;) {
        from = places_.free(from);
        const Time full = places_.full(from, write_of(from + way, line).done);
        if (full == kEndOfTime) return from;
        from = full + kPicosecond;
    }
}

Time ScmQueue::take(Time from, Time way, std::uint64_t line) {
    const Write write = write_of(from + way, line);
    if (!write.joined) {
        writes_.book(write.begin, line_time_);
        newest_[scm_line(line)] = write;
    }
    places_.enter(from);
    places_.leave(write.done);
    return write.done;
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
    if (newest_.size() < many_) return;
    std::erase_if(newest_, [now](const auto& write) { return write.second.done < now; });
    many_ = std::max<std::size_t>(256, 2 * newest_.size());
}

}  // namespace rnicsim
