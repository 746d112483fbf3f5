// SPDX-License-Identifier: Apache-2.0
#include "model/host/persistence/persistence_path.h"

#include <algorithm>
#include <utility>

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

PersistencePath::PersistencePath(const PersistenceConfig& config, const RandomSource& random, unsigned host)
    : config_(config),
      slot_(time_of(kLineBytes, config.iio.bandwidth)),
      places_(config.iio.capacity / kLineBytes),
      llc_(config.llc, random, host),
      scm_(config.imc, config.scm) {}

void PersistencePath::add_scm(std::uint64_t address, std::uint64_t bytes) {
    // Programs register memory again and again, and parts of it: one range stands for all that meet.
    Range all{address, address + bytes};
    const auto first = std::ranges::lower_bound(scm_ranges_, all.begin, {}, &Range::end);
    auto behind = first;
    for (; behind != scm_ranges_.end() && behind->begin <= all.end; ++behind)
        all = {std::min(all.begin, behind->begin), std::max(all.end, behind->end)};
    scm_ranges_.insert(scm_ranges_.erase(first, behind), all);
}

PersistencePath::Part PersistencePath::part_at(std::uint64_t address) const {
    const auto behind = std::ranges::upper_bound(scm_ranges_, address, {}, &Range::begin);
    if (behind != scm_ranges_.begin() && address < std::prev(behind)->end) return {true, std::prev(behind)->end};
    return {false, behind == scm_ranges_.end() ? ~std::uint64_t{0} : behind->begin};
}

/// With numbers of their own. They stay until the next ones.
std::span<LineWrite> PersistencePath::lines_of(std::uint64_t address, std::uint64_t bytes) {
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

PostedBuffer::Taken PersistencePath::write(Time arrives, std::uint64_t address, std::uint32_t bytes,
                                           TlpAttributes attributes) {
    Taken taken{arrives, {}, 0};
    Time known;  // the latest that is
    for (std::span<LineWrite> lines = lines_of(address, bytes); !lines.empty();) {
        const auto [some, n] = take(taken.accepted, lines, attributes);
        lines = lines.subspan(n);
        if (some.left == kEndOfTime || taken.left != kEndOfTime) taken.number = some.number;
        taken.accepted = some.accepted;
        taken.left = std::max(taken.left, some.left);
        if (some.left != kEndOfTime) known = std::max(known, some.left);
    }
    tell();
    // A line of DRAM has pushed those before it.
    if (const auto pushed = left_.find(taken.number); pushed != left_.end())
        taken.left = std::max(known, pushed->second);
    return taken;
}

PostedBuffer::Taken PersistencePath::interrupt(Time arrives, TlpAttributes attributes) {
    LineWrite msi;
    const Taken taken = take(arrives, std::span(&msi, 1), attributes).taken;
    tell();
    return taken;
}

/// Those in front that find a place in the IIO together. What goes to DRAM, as CQEs do, and MSIs are not held, and push
/// what they must not pass.
PersistencePath::Some PersistencePath::take(Time arrives, std::span<LineWrite> lines, TlpAttributes attributes) {
    const Time posted = last_posted_ = place(arrives);
    const std::size_t most = places_.vacant(posted, lines.size());
    std::size_t n = 1;
    while (n < most && lines[n].scm == lines.front().scm) ++n;
    lines = lines.first(n);
    for (LineWrite& write : lines) {
        write.posted = posted;
        places_.enter(posted);
    }
    Taken taken{posted, {}, lines.back().number};
    if (config_.iio.until_pushed && lines.front().scm) {
        for (const LineWrite& write : lines) held_.push_back({write, attributes});
        taken.left = kEndOfTime;
        return {taken, n};
    }
    if (!attributes.relaxed_ordering) push(posted, attributes.traffic_class);
    while (!lines.empty()) {
        const std::size_t gone = leave(lines, attributes, posted);
        taken.left = std::max(taken.left, lines[gone - 1].iio);
        lines = lines.subspan(gone);
    }
    return {taken, n};
}

/// When there is a place in the IIO, behind all that have come. A full one lets go of what it holds.
Time PersistencePath::place(Time arrives) {
    arrives = std::max(arrives, last_posted_);
    const Time free = places_.free(arrives);
    if (free == arrives || held_.empty()) return free;
    push_all(arrives);
    return places_.free(arrives);
}

void PersistencePath::push_all(Time at) {
    for (std::size_t of = 0; of < kClasses; ++of) push(at, of);
}

void PersistencePath::push(Time at, std::size_t traffic_class) {
    if (held_.empty()) return;
    std::deque<Entry> others;
    for (Entry& entry : held_) {
        if (entry.attributes.traffic_class != traffic_class) {
            others.push_back(entry);
            continue;
        }
        leave(std::span(&entry.write, 1), entry.attributes, std::max(at, entry.write.posted));
        tell_left(entry);
    }
    held_ = std::move(others);
}

void PersistencePath::tell_left(const Entry& entry) {
    left_[entry.write.number] = entry.write.iio;
    const auto asked = std::ranges::find(asked_, entry.write.number, &Asked::number);
    if (asked == asked_.end()) return;
    const Asked bytes = *asked;
    asked_.erase(asked);
    if (target_ != nullptr) target_->seen(bytes.address, bytes.bytes, entry.write.iio);
}

Time PersistencePath::left(std::uint64_t number, std::uint64_t address, std::uint64_t bytes) {
    const auto known = left_.find(number);
    const Time at = known == left_.end() ? kEndOfTime : known->second;
    if (known == left_.end()) asked_.push_back({number, address, bytes});
    left_.erase(left_.begin(), left_.upper_bound(number));
    return at;
}

/// Books the way on of what is in the IIO: of the first, and of those that follow it at once. Returns how many.
std::size_t PersistencePath::leave(std::span<LineWrite> lines, TlpAttributes attributes, Time from) {
    const LineWrite& first = lines.front();
    Order& order = orders_.at(attributes.traffic_class);
    Time go = first.scm ? std::max(from, first.posted + config_.iio.hold) : from;
    if (!attributes.relaxed_ordering) go = std::max(go, order.go);
    ScmQueue::Place place;
    for (bool is_free = false; !is_free; go = place.from) {
        go = out_.free(go, slot_);
        place = room(first, attributes, go);
        is_free = place.from == go;
    }
    lines = lines.first(together(lines, attributes, place));
    order.go = std::max(order.go, go + slot_ * static_cast<std::int64_t>(lines.size() - 1));
    for (LineWrite& write : lines) {
        out_.book(go, slot_);
        write.iio = go + config_.iio.latency;
        places_.leave(write.iio);
        go += slot_;
    }
    order.left = std::max(order.left, lines.back().iio);
    if (is_line(first)) enter(lines, attributes, place);
    return lines.size();
}

/// How many can follow the first, each when it has gone: nobody else has booked anything behind it.
/// With relaxed ordering it looks for the first gap again.
std::size_t PersistencePath::together(std::span<const LineWrite> lines, TlpAttributes attributes,
                                      const ScmQueue::Place& place) const {
    if (lines.size() == 1 || attributes.relaxed_ordering || !out_.is_last(place.from)) return 1;
    if (!passes_llc(attributes)) return llc_.has_room(lines.size()) ? lines.size() : 1;
    if (!lines.front().scm) return lines.size();
    return scm_.together(place, config_.iio.latency, slot_, lines.front().line, lines.size());
}

void PersistencePath::tell() {
    if (booked_.empty()) return;
    observer_->lines_written(booked_);
    booked_.clear();
}

Time PersistencePath::read_may_start(Time arrives, TlpAttributes attributes) {
    push(arrives, attributes.traffic_class);
    tell();
    return std::max(arrives, orders_.at(attributes.traffic_class).left);
}

void PersistencePath::pass(Time now) {
    passed_ = now;
    places_.forget(now);
    out_.forget(now);
    scm_.forget(now);
    if (written_back_.size() < many_) return;
    std::erase_if(written_back_, [now](const auto& line) { return line.second <= now; });
    many_ = std::max(kMany, 2 * written_back_.size());  // a flush may leave thousands that are not over
}

Time PersistencePath::oldest_untold() const { return held_.empty() ? kEndOfTime : held_.front().write.posted; }

void PersistencePath::tell_held(LineObserver& observer) const {
    for (const Entry& entry : held_) observer.lines_written(std::span(&entry.write, 1));
}

void PersistencePath::end() {
    if (observer_ != nullptr) tell_held(*observer_);
    held_.clear();
}

}  // namespace rnicsim
