// SPDX-License-Identifier: Apache-2.0
#include "model/host/persistence/cache_and_medium.h"

#include <algorithm>
#include <iterator>

namespace rnicsim {
namespace {

constexpr std::uint64_t kLine = kLineBytes;

/// Which bytes of a line lie in [begin, end).
std::uint64_t mask_of(std::uint64_t line, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t first = std::max(begin, line * kLine) - line * kLine;
    const std::uint64_t behind = std::min(end, (line + 1) * kLine) - line * kLine;
    const std::uint64_t ones = ~std::uint64_t{0};
    return (ones << first) & (ones >> (kLine - behind));
}

}  // namespace

CacheAndMedium::CacheAndMedium(const PersistenceConfig& config, const RandomSource& random, unsigned host)
    : config_(config),
      slot_(time_of(kLineBytes, config.iio.bandwidth)),
      llc_(config.llc, random, host),
      scm_(config.imc, config.scm) {}

void CacheAndMedium::add_scm(std::uint64_t address, std::uint64_t bytes) {
    // Programs register memory again and again, and parts of it: one range stands for all that meet.
    Range all{address, address + bytes};
    const auto first = std::ranges::lower_bound(scm_ranges_, all.begin, {}, &Range::end);
    auto behind = first;
    for (; behind != scm_ranges_.end() && behind->begin <= all.end; ++behind)
        all = {std::min(all.begin, behind->begin), std::max(all.end, behind->end)};
    scm_ranges_.insert(scm_ranges_.erase(first, behind), all);
}

CacheAndMedium::Part CacheAndMedium::part_at(std::uint64_t address) const {
    const auto behind = std::ranges::upper_bound(scm_ranges_, address, {}, &Range::begin);
    if (behind != scm_ranges_.begin() && address < std::prev(behind)->end) return {true, std::prev(behind)->end};
    return {false, behind == scm_ranges_.end() ? ~std::uint64_t{0} : behind->begin};
}

std::span<LineWrite> CacheAndMedium::lines_of(std::uint64_t address, std::uint64_t bytes) {
    lines_.clear();
    const std::uint64_t end = address + bytes;
    Part part;
    for (std::uint64_t line = address / kLine; line * kLine < end; ++line) {
        const std::uint64_t begin = std::max(address, line * kLine);
        if (begin >= part.end) part = part_at(begin);
        LineWrite& write = lines_.emplace_back();
        write.number = ++numbers_;
        write.line = line;
        write.mask = mask_of(line, address, end);
        write.scm = part.scm;
    }
    return lines_;
}

void CacheAndMedium::tell_booked() {
    if (observer_ != nullptr) observer_->lines_written(booked_);
    booked_.clear();
}

ScmQueue::Place CacheAndMedium::room(const LineWrite& write, TlpAttributes attributes, Time from) const {
    if (passes_llc(attributes)) return room_in_imc(write.scm, from, config_.iio.latency, write.line);
    return room_in_llc(write, from);
}

/// In a full LLC when another line can leave it.
ScmQueue::Place CacheAndMedium::room_in_llc(const LineWrite& write, Time from) const {
    const LastLevelCache::Copy* const victim = llc_.victim(write.line);
    if (victim == nullptr) return {from};
    const auto dirty = victim->dirty();
    if (!dirty) return {from};
    return room_in_imc(victim->scm, std::max(from, dirty->entered), config_.llc.latency, victim->line);
}

/// DRAM's controller always has.
ScmQueue::Place CacheAndMedium::room_in_imc(bool scm, Time from, Time way, std::uint64_t line) const {
    return scm ? scm_.room(from, way, line) : ScmQueue::Place{from};
}

void CacheAndMedium::enter(std::span<LineWrite> lines, TlpAttributes attributes, const ScmQueue::Place& place) {
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

void CacheAndMedium::enter_llc(LineWrite& write, const ScmQueue::Place& place) {
    if (const LastLevelCache::Copy* const victim = llc_.victim(write.line)) {
        const std::uint64_t line = victim->line;
        if (const auto dirty = victim->dirty())
            write_back(line, victim->scm, dirty->number, place, config_.llc.latency);
        llc_.evict(line);
    }
    write.llc = write.iio;
    llc_.write(write.line, write.scm, {write.number, write.llc, write.mask}, passed_);
}

void CacheAndMedium::enter_imc(LineWrite& write, Time scm_done) {
    write.adr = write.iio;
    write.scm_done = scm_done;
    if (config_.no_snoop == NoSnoop::hint && llc_.lines() != 0) invalidate(write);
}

/// Of the LLC's copy, which is older, bytes that the write does not have go to the iMC with it.
void CacheAndMedium::invalidate(const LineWrite& write) {
    if (llc_.find(write.line) == nullptr) return;
    const auto dirty = llc_.clean(write.line, write.iio);
    if (dirty && (dirty->mask & ~write.mask) != 0) tell_written_back(dirty->number, write.adr, write.scm_done);
    if (!llc_.find(write.line)->dirty()) llc_.remove(write.line);
}

/// The LLC's copy of a line goes to its place in the iMC, which it enters after `way`: that is returned.
Time CacheAndMedium::write_back(std::uint64_t line, bool scm, std::uint64_t number, const ScmQueue::Place& place,
                                Time way) {
    const Time adr = place.from + way;
    const Time done = scm ? scm_.take(place, line, 1, {}) : kEndOfTime;
    Time& until = written_back_[line];
    until = std::max(until, adr);
    tell_written_back(number, adr, done);
    return adr;
}

void CacheAndMedium::tell_written_back(std::uint64_t number, Time adr, Time scm_done) {
    tell();
    if (observer_ != nullptr) observer_->line_written_back(number, adr, scm_done);
}

Time CacheAndMedium::flush(Time now, std::uint64_t address, std::uint64_t bytes) {
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

void CacheAndMedium::store(Time now, std::uint64_t address, std::uint64_t bytes) {
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

std::size_t CacheAndMedium::together(std::span<const LineWrite> lines, TlpAttributes attributes,
                                     const ScmQueue::Place& place) const {
    if (!passes_llc(attributes)) return llc_.has_room(lines.size()) ? lines.size() : 1;
    if (!lines.front().scm) return lines.size();
    return scm_.together(place, config_.iio.latency, slot_, lines.front().line, lines.size());
}

void CacheAndMedium::forget_written_back(Time now) {
    std::erase_if(written_back_, [now](const auto& line) { return line.second <= now; });
    many_ = std::max(kMany, 2 * written_back_.size());  // a flush may leave thousands that are not over
}

}  // namespace rnicsim
