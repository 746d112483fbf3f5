// SPDX-License-Identifier: Apache-2.0
// What is behind the IIO: the LLC, the iMC's queue, and processors.
#include "model/host/persistence/persistence_path.h"

#include <algorithm>

namespace rnicsim {

/// When the next stage has a place, from `from` on; of the iMC's queue this one.
ScmQueue::Place PersistencePath::room(const LineWrite& write, TlpAttributes attributes, Time from) const {
    if (!is_line(write)) return {from};
    if (passes_llc(attributes)) return room_in_imc(write.scm, from, config_.iio.latency, write.line);
    return room_in_llc(write, from);
}

/// In a full LLC when another line can leave it.
ScmQueue::Place PersistencePath::room_in_llc(const LineWrite& write, Time from) const {
    const LastLevelCache::Copy* const victim = llc_.victim(write.line);
    if (victim == nullptr) return {from};
    const auto dirty = victim->dirty();
    if (!dirty) return {from};
    return room_in_imc(victim->scm, std::max(from, dirty->entered), config_.llc.latency, victim->line);
}

/// DRAM's controller always has.
ScmQueue::Place PersistencePath::room_in_imc(bool scm, Time from, Time way, std::uint64_t line) const {
    return scm ? scm_.room(from, way, line) : ScmQueue::Place{from};
}

/// They have left the IIO one behind the other.
void PersistencePath::enter(std::span<LineWrite> lines, TlpAttributes attributes, const ScmQueue::Place& place) {
    const LineWrite& first = lines.front();
    const bool past_llc = passes_llc(attributes);
    const Time done = past_llc && first.scm ? scm_.take(place, first.line, lines.size(), slot_) : kEndOfTime;
    for (LineWrite& write : lines) {
        if (past_llc) {
            enter_imc(write, done);
        } else {
            enter_llc(write, place);
        }
        if (observer_ != nullptr) booked_.push_back(write);
    }
}

void PersistencePath::enter_llc(LineWrite& write, const ScmQueue::Place& place) {
    if (const LastLevelCache::Copy* const victim = llc_.victim(write.line)) {
        const std::uint64_t line = victim->line;
        if (const auto dirty = victim->dirty())
            write_back(line, victim->scm, dirty->number, place, config_.llc.latency);
        llc_.evict(line);
    }
    write.llc = write.iio;
    llc_.write(write.line, write.scm, {write.number, write.llc, write.mask}, passed_);
}

void PersistencePath::enter_imc(LineWrite& write, Time scm_done) {
    write.adr = write.iio;
    write.scm_done = scm_done;
    if (config_.no_snoop == NoSnoop::hint && llc_.lines() != 0) invalidate(write);
}

/// Of the LLC's copy, which is older, bytes that the write does not have go to the iMC with it.
void PersistencePath::invalidate(const LineWrite& write) {
    if (llc_.find(write.line) == nullptr) return;
    const auto dirty = llc_.clean(write.line, write.iio);
    if (dirty && (dirty->mask & ~write.mask) != 0) tell_written_back(dirty->number, write.adr, write.scm_done);
    if (!llc_.find(write.line)->dirty()) llc_.remove(write.line);
}

/// The LLC's copy of a line goes to its place in the iMC, which it enters after `way`: that is returned.
Time PersistencePath::write_back(std::uint64_t line, bool scm, std::uint64_t number, const ScmQueue::Place& place,
                                 Time way) {
    const Time adr = place.from + way;
    const Time done = scm ? scm_.take(place, line, 1, {}) : kEndOfTime;
    Time& until = written_back_[line];
    until = std::max(until, adr);
    tell_written_back(number, adr, done);
    return adr;
}

void PersistencePath::tell_written_back(std::uint64_t number, Time adr, Time scm_done) {
    tell();
    if (observer_ != nullptr) observer_->line_written_back(number, adr, scm_done);
}

Time PersistencePath::flush(Time now, std::uint64_t address, std::uint64_t bytes) {
    Time at = now + config_.flush.base, done = at;
    for (std::uint64_t line = address / kLineBytes; line * kLineBytes < address + bytes; ++line) {
        at += config_.flush.line;
        done = std::max(done, at);
        if (const auto on_its_way = written_back_.find(line); on_its_way != written_back_.end())
            done = std::max(done, on_its_way->second);
        const LastLevelCache::Copy* const copy = llc_.find(line);
        if (copy == nullptr) continue;
        const bool scm = copy->scm;
        const auto dirty = llc_.clean(line, at);
        if (!dirty) continue;
        done = std::max(done, write_back(line, scm, dirty->number, room_in_imc(scm, at, {}, line), {}));
    }
    return done;
}

void PersistencePath::store(Time now, std::uint64_t address, std::uint64_t bytes) {
    for (LineWrite& write : lines_of(address, bytes)) {
        ScmQueue::Place place = room_in_llc(write, now);
        for (; place.from != now; place = room_in_llc(write, now)) now = place.from;
        write.posted = write.iio = now;
        write.stored = true;
        enter_llc(write, place);
        if (observer_ != nullptr) booked_.push_back(write);
    }
    tell();
}

}  // namespace rnicsim
