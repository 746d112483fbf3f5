// SPDX-License-Identifier: Apache-2.0
#include "model/host/persistence/iio_stage.h"

#include <algorithm>
#include <utility>

namespace rnicsim {

IioStage::IioStage(const PersistenceConfig& config, CacheAndMedium& rest, std::size_t ports)
    : config_(config.iio),
      slot_(time_of(kLineBytes, config.iio.bandwidth)),
      rest_(rest),
      places_(config.iio.capacity / kLineBytes),
      orders_(ports),
      left_(ports) {}

IioStage::Taken IioStage::write(std::size_t of, Time arrives, std::uint64_t address, std::uint32_t bytes,
                                TlpAttributes attributes) {
    Taken taken{arrives, {}, 0};
    Time known;  // the latest that is
    for (std::span<LineWrite> lines = rest_.lines_of(address, bytes); !lines.empty();) {
        const auto [some, n] = take(of, taken.accepted, lines, attributes);
        lines = lines.subspan(n);
        if (some.left == kEndOfTime || taken.left != kEndOfTime) taken.number = some.number;
        taken.accepted = some.accepted;
        taken.left = std::max(taken.left, some.left);
        if (some.left != kEndOfTime) known = std::max(known, some.left);
    }
    rest_.tell();
    // A line of DRAM has pushed those before it.
    if (const auto pushed = left_[of].find(taken.number); pushed != left_[of].end())
        taken.left = std::max(known, pushed->second);
    return taken;
}

IioStage::Taken IioStage::interrupt(std::size_t of, Time arrives, TlpAttributes attributes) {
    LineWrite msi;
    const Taken taken = take(of, arrives, std::span(&msi, 1), attributes).taken;
    rest_.tell();
    return taken;
}

/// Those in front that find a place in the IIO together. What goes to DRAM, as CQEs do, and MSIs are not held, and push
/// what they must not pass.
IioStage::Some IioStage::take(std::size_t of, Time arrives, std::span<LineWrite> lines, TlpAttributes attributes) {
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
    if (config_.until_pushed && lines.front().scm) {
        for (const LineWrite& write : lines) held_.push_back({write, attributes, of});
        taken.left = kEndOfTime;
        return {taken, n};
    }
    if (!attributes.relaxed_ordering) push(posted, of, attributes.traffic_class);
    while (!lines.empty()) {
        const std::size_t gone = leave(of, lines, attributes, posted);
        taken.left = std::max(taken.left, lines[gone - 1].iio);
        lines = lines.subspan(gone);
    }
    return {taken, n};
}

/// When there is a place in the IIO, behind all that have come. A full one lets go of what it holds.
Time IioStage::place(Time arrives) {
    arrives = std::max(arrives, last_posted_);
    const Time free = places_.free(arrives);
    if (free == arrives || held_.empty()) return free;
    push_all(arrives);
    return places_.free(arrives);
}

void IioStage::push_all(Time at) {
    for (std::size_t of = 0; of < orders_.size(); ++of)
        for (std::size_t traffic_class = 0; traffic_class < kClasses; ++traffic_class) push(at, of, traffic_class);
}

void IioStage::push(Time at, std::size_t of, std::size_t traffic_class) {
    if (held_.empty()) return;
    std::deque<Entry> others;
    for (Entry& entry : held_) {
        if (entry.of != of || entry.attributes.traffic_class != traffic_class) {
            others.push_back(entry);
            continue;
        }
        leave(of, std::span(&entry.write, 1), entry.attributes, std::max(at, entry.write.posted));
        tell_left(entry);
    }
    held_ = std::move(others);
}

void IioStage::tell_left(const Entry& entry) {
    left_[entry.of][entry.write.number] = entry.write.iio;
    const auto asked = std::ranges::find(asked_, entry.write.number, &Asked::number);
    if (asked == asked_.end()) return;
    const Asked bytes = *asked;
    asked_.erase(asked);
    if (target_ != nullptr) target_->seen(bytes.address, bytes.bytes, entry.write.iio);
}

Time IioStage::left(std::size_t of, std::uint64_t number, std::uint64_t address, std::uint64_t bytes) {
    std::map<std::uint64_t, Time>& left = left_[of];
    const auto known = left.find(number);
    const Time at = known == left.end() ? kEndOfTime : known->second;
    if (known == left.end()) asked_.push_back({number, address, bytes});
    left.erase(left.begin(), left.upper_bound(number));
    return at;
}

/// Books the way on of what is in the IIO: of the first, and of those that follow it at once. Returns how many.
std::size_t IioStage::leave(std::size_t of, std::span<LineWrite> lines, TlpAttributes attributes, Time from) {
    const LineWrite& first = lines.front();
    Order& order = orders_[of].at(attributes.traffic_class);
    Time go = first.scm ? std::max(from, first.posted + config_.hold) : from;
    if (!attributes.relaxed_ordering) go = std::max(go, order.go);
    ScmQueue::Place place;
    for (bool is_free = false; !is_free; go = place.from) {
        go = out_.free(go, slot_);
        place = is_line(first) ? rest_.room(first, attributes, go) : ScmQueue::Place{go};
        is_free = place.from == go;
    }
    lines = lines.first(together(lines, attributes, place));
    order.go = std::max(order.go, go + slot_ * static_cast<std::int64_t>(lines.size() - 1));
    for (LineWrite& write : lines) {
        out_.book(go, slot_);
        write.iio = go + config_.latency;
        places_.leave(write.iio);
        go += slot_;
    }
    order.left = std::max(order.left, lines.back().iio);
    if (is_line(first)) rest_.enter(lines, attributes, place);
    return lines.size();
}

/// How many can follow the first, each when it has gone: nobody else has booked anything behind it.
/// With relaxed ordering it looks for the first gap again.
std::size_t IioStage::together(std::span<const LineWrite> lines, TlpAttributes attributes,
                               const ScmQueue::Place& place) const {
    if (lines.size() == 1 || attributes.relaxed_ordering || !out_.is_last(place.from)) return 1;
    return rest_.together(lines, attributes, place);
}

Time IioStage::read_may_start(std::size_t of, Time arrives, TlpAttributes attributes) {
    push(arrives, of, attributes.traffic_class);
    rest_.tell();
    return std::max(arrives, orders_[of].at(attributes.traffic_class).left);
}

Time IioStage::oldest_untold() const { return held_.empty() ? kEndOfTime : held_.front().write.posted; }

void IioStage::tell_held(LineObserver& observer) const {
    for (const Entry& entry : held_) observer.lines_written(std::span(&entry.write, 1));
}

void IioStage::end() {
    if (rest_.observer() != nullptr) tell_held(*rest_.observer());
    held_.clear();
}

bool IioStage::knows(std::size_t of, std::uint64_t number) const {
    return left_[of].contains(number) || std::ranges::any_of(held_, [of, number](const Entry& entry) {
               return entry.of == of && entry.write.number == number;
           });
}

}  // namespace rnicsim
