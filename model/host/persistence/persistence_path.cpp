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

bool PersistencePath::is_scm(std::uint64_t address) const {
    const auto behind = std::ranges::upper_bound(scm_ranges_, address, {}, &Range::begin);
    return behind != scm_ranges_.begin() && address < std::prev(behind)->end;
}

PostedBuffer::Taken PersistencePath::write(Time arrives, std::uint64_t address, std::uint32_t bytes,
                                           TlpAttributes attributes) {
    const std::uint64_t end = address + bytes;
    Taken taken{arrives, {}, 0};
    Time known;  // the latest that is
    for (std::uint64_t line = address / kLine; line * kLine < end; ++line) {
        Entry entry;
        entry.write.number = ++numbers_;
        entry.write.line = line;
        entry.write.mask = mask_of(line, address, end);
        entry.write.scm = is_scm(std::max(address, line * kLine));
        entry.attributes = attributes;
        const Taken one = take(taken.accepted, entry);
        if (one.left == kEndOfTime || taken.left != kEndOfTime) taken.number = one.number;
        taken.accepted = one.accepted;
        taken.left = std::max(taken.left, one.left);
        if (one.left != kEndOfTime) known = std::max(known, one.left);
    }
    // A line of DRAM has pushed those before it.
    if (const auto pushed = left_.find(taken.number); pushed != left_.end())
        taken.left = std::max(known, pushed->second);
    return taken;
}

PostedBuffer::Taken PersistencePath::interrupt(Time arrives, TlpAttributes attributes) {
    Entry entry;
    entry.attributes = attributes;
    entry.is_line = false;
    return take(arrives, entry);
}

/// What goes to DRAM, as CQEs do, and MSIs are not held, and push what they must not pass.
PostedBuffer::Taken PersistencePath::take(Time arrives, const Entry& of) {
    Entry entry = of;
    entry.write.posted = last_posted_ = place(arrives);
    places_.enter(entry.write.posted);
    if (config_.iio.until_pushed && entry.write.scm) {
        held_.push_back(entry);
        return {entry.write.posted, kEndOfTime, entry.write.number};
    }
    if (!entry.attributes.relaxed_ordering) push(entry.write.posted, entry.attributes.traffic_class);
    const Time left = leave(entry, entry.write.posted);
    return {entry.write.posted, left, entry.write.number};
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
        leave(entry, std::max(at, entry.write.posted));
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

/// Books the way on of what is in the IIO: returns when it has left it.
Time PersistencePath::leave(Entry& entry, Time from) {
    LineWrite& write = entry.write;
    Order& order = orders_.at(entry.attributes.traffic_class);
    const bool past_llc = passes_llc(entry.attributes);
    Time go = write.scm ? std::max(from, write.posted + config_.iio.hold) : from;
    if (!entry.attributes.relaxed_ordering) go = std::max(go, order.go);
    for (;;) {
        go = out_.free(go, slot_);
        const Time room = !entry.is_line ? go : past_llc ? room_in_imc(write, go) : room_in_llc(write, go);
        if (room == go) break;
        go = room;
    }
    out_.book(go, slot_);
    write.iio = go + config_.iio.latency;
    places_.leave(write.iio);
    order.go = std::max(order.go, go);
    order.left = std::max(order.left, write.iio);
    if (!entry.is_line) return write.iio;
    if (past_llc) {
        enter_imc(write, go);
    } else {
        enter_llc(write, go);
    }
    if (observer_ != nullptr) observer_->line_written(write);
    return write.iio;
}

/// In a full LLC when another line can leave it.
Time PersistencePath::room_in_llc(const LineWrite& write, Time from) const {
    const LastLevelCache::Copy* const victim = llc_.victim(write.line);
    if (victim == nullptr) return from;
    const auto dirty = victim->dirty();
    if (!dirty) return from;
    from = std::max(from, dirty->entered);
    return victim->scm ? scm_.room(from, config_.llc.latency, victim->line) : from;
}

void PersistencePath::enter_llc(LineWrite& write, Time go) {
    if (const LastLevelCache::Copy* const victim = llc_.victim(write.line)) {
        const std::uint64_t line = victim->line;
        if (const auto dirty = victim->dirty()) write_back(line, victim->scm, dirty->number, go, config_.llc.latency);
        llc_.evict(line);
    }
    write.llc = write.iio;
    llc_.write(write.line, write.scm, {write.number, write.llc, write.mask}, passed_);
}

Time PersistencePath::room_in_imc(const LineWrite& write, Time from) const {
    return write.scm ? scm_.room(from, config_.iio.latency, write.line) : from;
}

void PersistencePath::enter_imc(LineWrite& write, Time go) {
    write.adr = write.iio;
    if (write.scm) write.scm_done = scm_.take(go, config_.iio.latency, write.line);
    if (config_.no_snoop == NoSnoop::hint) invalidate(write);
}

/// Of the LLC's copy, which is older, bytes that the write does not have go to the iMC with it.
void PersistencePath::invalidate(const LineWrite& write) {
    if (llc_.find(write.line) == nullptr) return;
    const auto dirty = llc_.clean(write.line, write.iio);
    if (dirty && (dirty->mask & ~write.mask) != 0 && observer_ != nullptr)
        observer_->line_written_back(dirty->number, write.adr, write.scm_done);
    if (!llc_.find(write.line)->dirty()) llc_.remove(write.line);
}

/// The LLC's copy of a line goes to the iMC: begins at `go`, enters after `way`, which is returned.
Time PersistencePath::write_back(std::uint64_t line, bool scm, std::uint64_t number, Time go, Time way) {
    const Time adr = go + way;
    const Time done = scm ? scm_.take(go, way, line) : kEndOfTime;
    Time& until = written_back_[line];
    until = std::max(until, adr);
    if (observer_ != nullptr) observer_->line_written_back(number, adr, done);
    return adr;
}

Time PersistencePath::read_may_start(Time arrives, TlpAttributes attributes) {
    push(arrives, attributes.traffic_class);
    return std::max(arrives, orders_.at(attributes.traffic_class).left);
}

Time PersistencePath::flush(Time now, std::uint64_t address, std::uint64_t bytes) {
    Time at = now + config_.flush.base, done = at;
    for (std::uint64_t line = address / kLine; line * kLine < address + bytes; ++line) {
        at += config_.flush.line;
        done = std::max(done, at);
        if (const auto on_its_way = written_back_.find(line); on_its_way != written_back_.end())
            done = std::max(done, on_its_way->second);
        const LastLevelCache::Copy* const copy = llc_.find(line);
        if (copy == nullptr) continue;
        const bool scm = copy->scm;
        const auto dirty = llc_.clean(line, at);
        if (!dirty) continue;
        const Time go = scm ? scm_.room(at, {}, line) : at;
        done = std::max(done, write_back(line, scm, dirty->number, go, {}));
    }
    return done;
}

void PersistencePath::store(Time now, std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t end = address + bytes;
    for (std::uint64_t line = address / kLine; line * kLine < end; ++line) {
        LineWrite write;
        write.number = ++numbers_;
        write.line = line;
        write.mask = mask_of(line, address, end);
        write.scm = is_scm(std::max(address, line * kLine));
        for (Time room = room_in_llc(write, now); room != now; room = room_in_llc(write, now)) now = room;
        write.posted = write.iio = now;
        write.stored = true;
        enter_llc(write, now);
        if (observer_ != nullptr) observer_->line_written(write);
    }
}

void PersistencePath::pass(Time now) {
    passed_ = now;
    places_.forget(now);
    out_.forget(now);
    scm_.forget(now);
    constexpr std::size_t kMany = 1024;  // so that this is rare
    if (written_back_.size() < kMany) return;
    std::erase_if(written_back_, [now](const auto& line) { return line.second <= now; });
}

Time PersistencePath::oldest_untold() const { return held_.empty() ? kEndOfTime : held_.front().write.posted; }

void PersistencePath::tell_held(LineObserver& observer) const {
    for (const Entry& entry : held_) observer.line_written(entry.write);
}

void PersistencePath::end() {
    if (observer_ != nullptr) tell_held(*observer_);
    held_.clear();
}

}  // namespace rnicsim
