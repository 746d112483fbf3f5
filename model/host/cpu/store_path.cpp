// SPDX-License-Identifier: Apache-2.0
#include "model/host/cpu/store_path.h"

#include <algorithm>
#include <cassert>

namespace rnicsim {

StorePath::StorePath(const StoreConfig& config, RootComplex& root, ClockedWakeup& wakeup, InstructionTarget& program,
                     const RandomSource& random, std::uint64_t core)
    : config_(config),
      root_(root),
      wakeup_(wakeup),
      program_(program),
      lines_(config, random, core),
      flights_(config.loads) {}

void StorePath::store(Time from, std::uint64_t address, std::span<const std::uint8_t> bytes, Mapping mapping) {
    assert(!bytes.empty() && bytes.size() <= stored_.size());
    std::ranges::copy(bytes, stored_.begin());
    begin(from + config_.store, {Kind::store, mapping, address, bytes.size(), stored_.data(), nullptr});
}

void StorePath::copy(Time from, std::uint64_t address, std::span<const std::uint8_t> bytes, Mapping mapping) {
    assert(!bytes.empty());
    const Time first = mapping == Mapping::uncached ? config_.store : config_.line;
    begin(from + first, {Kind::copy, mapping, address, bytes.size(), bytes.data(), nullptr});
}

void StorePath::fence(Time from) { begin(from, {.kind = Kind::fence}); }

void StorePath::load(Time from, std::uint64_t address, std::span<std::uint8_t> into, Mapping mapping) {
    assert(!into.empty());
    load_ends_ = from;
    begin(from, {Kind::load, mapping, address, into.size(), nullptr, into.data()});
}

void StorePath::begin(Time acts, const Instruction& instruction) {
    assert(!busy());
    instruction_ = instruction;
    next_ = began_ = acts;
    wakeup_.at(next_due());
}

/// In the end: the program may give the next instruction.
void StorePath::end(Time at) {
    instruction_.kind = Kind::none;
    next_ = kEndOfTime;
    program_.ended(at);
}

void StorePath::interrupt(Cycle now) {
    run(now);
    lines_.drain(wakeup_.clock().time(now));
    wakeup_.at(next_due());
}

Cycle StorePath::next_due() const {
    if (!busy() && lines_.empty()) return kNever;
    const Time due = std::min({hands_over_at(), instruction_due(), lines_.held_until()});
    return due == kEndOfTime ? kNever : wakeup_.clock().edge(due);
}

/// A copy's line has no effect outside before it can be at the port, so it need not act before.
Time StorePath::instruction_due() const {
    if (next_ == kEndOfTime || instruction_.kind != Kind::copy || instruction_.mapping == Mapping::uncached)
        return next_;
    const std::uint64_t lines =
        ((instruction_.address & (config_.wc.line - 1)) + instruction_.left - 1) / config_.wc.line;
    return next_ + std::min(config_.evict, config_.line * static_cast<std::int64_t>(lines));
}

Time StorePath::hands_over_at() const {
    const Time ready = asked_ ? kEndOfTime : lines_.next_ready();
    if (ready == kEndOfTime) return ready;
    const Clock& clock = wakeup_.clock();
    return std::max(clock.time(clock.edge(ready)), hands_over_from_);
}

void StorePath::run(Cycle now) {
    const Time present = wakeup_.clock().time(now);
    for (;;) {
        const Time hands = hands_over_at(), held = lines_.held_until(), first = std::min({hands, next_, held});
        if (first > present) return;
        if (first == hands) {
            hand_over(now);
        } else if (first == next_) {
            act(now);
        } else {
            lines_.drain(held);
        }
    }
}

void StorePath::act(Cycle now) {
    switch (instruction_.kind) {
        case Kind::none: break;
        case Kind::store:
        case Kind::copy:
            if (instruction_.mapping == Mapping::uncached) {
                store_uncached(now);
            } else {
                merge();
            }
            break;
        case Kind::fence: wait_for_lines(); break;
        case Kind::load: load_next(now); break;
    }
}

/// A fence and a load report all of their time in the end.
void StorePath::report_wait(Time until) const {
    const bool uncached = instruction_.mapping == Mapping::uncached;
    if (instruction_.kind == Kind::store || instruction_.kind == Kind::copy)
        report(uncached ? StoreWait::place : StoreWait::buffer, waits_since_, until);
}

void StorePath::merge() {
    const Time at = next_;
    const std::size_t bytes = part(config_.wc.line);
    if (lines_.store(at, instruction_.address, {instruction_.from, bytes}) != WriteCombining::Stored::taken)
        return wait();
    advance(bytes);
    next_ = instruction_.kind == Kind::copy ? at + config_.line : at;
    if (instruction_.left == 0) end(at);
}

void StorePath::wait_for_lines() {
    const Time at = next_;
    lines_.drain(at);
    if (!lines_.empty()) return wait();
    const Time over = std::max(at, taken_) + config_.fence;
    report(StoreWait::fence, began_, over);
    end(over);
}

/// Its time is not rounded up to the edge at which it goes to the port: else a slow clock would stretch each gap.
void StorePath::store_uncached(Cycle now) {
    const Time at = next_;
    lines_.drain(at);
    if (!lines_.empty()) return wait();
    if (at < uncached_from_) {
        next_ = uncached_from_;
        return;
    }
    if (!has_place(now, instruction_.address)) return wait();
    const std::size_t bytes = part(instruction_.kind == Kind::copy ? WriteCombining::kChunk : WriteCombining::kLine);
    root_.write(now, instruction_.address, {instruction_.from, bytes});
    taken_ = wakeup_.clock().time(now);
    if (observer_ != nullptr)
        observer_->given(core_, instruction_.address, static_cast<std::uint32_t>(bytes), at, taken_);
    uncached_from_ = at + config_.uc_gap;
    advance(bytes);
    next_ = at + config_.store;
    if (instruction_.left == 0) end(at);
}

void StorePath::load_next(Cycle now) {
    const Time at = next_;
    if (instruction_.mapping == Mapping::uncached) {
        lines_.drain(at);
        if (!lines_.empty()) return wait();
    } else {
        lines_.drain_line(at, instruction_.address);
        if (lines_.has_line(instruction_.address)) return wait();
    }
    const auto flight = std::ranges::min_element(flights_, {}, &Flight::free_from);
    if (flight->free_from > at) {
        next_ = flight->free_from;
        return;
    }
    const std::size_t bytes = part(config_.width);
    const std::uint64_t address = instruction_.address;
    *flight = {instruction_.into, kEndOfTime};
    ++flying_;
    advance(bytes);
    next_ = instruction_.left == 0 ? kEndOfTime : at;
    // The last thing: the core may hear of it before this returns.
    root_.read(now, address, static_cast<std::uint32_t>(bytes),
               {this, static_cast<std::uint64_t>(flight - flights_.begin())});
}

void StorePath::loaded(Time at, std::uint64_t context, std::span<const std::uint8_t> bytes) {
    Flight& flight = flights_[context];
    std::ranges::copy(bytes, flight.into);
    flight.free_from = at;
    load_ends_ = std::max(load_ends_, at);
    --flying_;
    if (instruction_.left == 0 && flying_ == 0) {
        report(StoreWait::load, began_, load_ends_);
        return end(load_ends_);
    }
    if (instruction_.left == 0 || waits_) return;
    next_ = std::min(next_, at);
    wakeup_.at(next_due());
}

void StorePath::advance(std::size_t bytes) {
    instruction_.address += bytes;
    instruction_.left -= bytes;
    if (instruction_.from != nullptr) instruction_.from += bytes;
    if (instruction_.into != nullptr) instruction_.into += bytes;
}

std::size_t StorePath::part(std::uint32_t boundary) const {
    return std::min<std::size_t>(instruction_.left, boundary - (instruction_.address & (boundary - 1)));
}

void StorePath::hand_over(Cycle now) {
    const Time at = wakeup_.clock().time(now);
    if (!has_place(now, lines_.next_line(at))) return;
    const LineEviction::Bytes bytes = lines_.take();
    root_.write(now, bytes.address, bytes.bytes);
    if (observer_ != nullptr)
        observer_->given(core_, bytes.address, static_cast<std::uint32_t>(bytes.bytes.size()), bytes.told, at);
    taken_ = at;
    go_on(at);
}

/// Does the port take a store to this line? Else it tells us when.
bool StorePath::has_place(Cycle now, std::uint64_t address) {
    if (granted_) {
        granted_ = false;
        return true;
    }
    asked_ = !root_.has_place(now, address, 1, *this);
    return !asked_;
}

void StorePath::place_free(Cycle now) {
    asked_ = false;
    granted_ = true;
    hands_over_from_ = wakeup_.clock().time(now);
    if (lines_.empty()) go_on(hands_over_from_);  // an uncached store
    run(now);
    assert(!granted_);
}

}  // namespace rnicsim
