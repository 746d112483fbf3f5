// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/context_lines.h"

#include <algorithm>
#include <stdexcept>

namespace rnicsim::rc {

LineId ContextLines::add(LineKind kind, std::uint32_t number) {
    const std::uint32_t bytes = kLineBytes[static_cast<std::size_t>(kind)];
    if (bytes > memory_.bytes) throw std::logic_error("the card has no memory for its lines");
    places_.push_back({memory_.address});
    memory_.address += bytes;
    memory_.bytes -= bytes;
    if (kind != LineKind::pages) memory_.kept -= std::min<std::uint64_t>(memory_.kept, bytes);
    return cache_.add(kind, number);
}

void ContextLines::renew(LineId line) {
    if (place(line).first_waiter == kNone) cache_.renew(line);
}

/// What waits for a line waits on, for whoever is there when it comes.
void ContextLines::begin_anew(Wait& wait) {
    if (!wait.waits) wait.got = 0;
}

std::uint64_t ContextLines::most_page_entries() const {
    const std::uint64_t others =
        std::max<std::uint64_t>(memory_.kept, kLineBytes[static_cast<std::size_t>(LineKind::region)]);
    const std::uint64_t left = memory_.bytes < others ? 0 : memory_.bytes - others;
    const std::uint64_t line = kLineBytes[static_cast<std::size_t>(LineKind::pages)];
    return (of_pages_.size() + left / line) * kPagesOfLine;
}

void ContextLines::add_qp(Qpn qp) {
    if (qp.n >= qps_.size()) qps_.resize(qp.n + 1);
    if (const Owner& before = qps_[qp.n]; before.first_wait != kNone) {
        for (std::uint32_t s = 0; s < kLineUsersOfQp; ++s) begin_anew(waits_[before.first_wait + s]);
        return renew(before.line);
    }
    qps_[qp.n] = {add(LineKind::qp, qp.n), static_cast<std::uint32_t>(waits_.size())};
    for (std::uint32_t s = 0; s < kLineUsersOfQp; ++s) waits_.push_back({static_cast<LineUser>(s), false, qp.n});
}

void ContextLines::add_region(std::uint32_t key) {
    const std::uint32_t index = MrTable::index_of(key);
    while (of_region_.size() <= index)
        of_region_.push_back(add(LineKind::region, static_cast<std::uint32_t>(of_region_.size())));
    while (of_pages_.size() * kPagesOfLine < regions_.page_entries())
        of_pages_.push_back(add(LineKind::pages, static_cast<std::uint32_t>(of_pages_.size())));
}

void ContextLines::add_cq(std::uint32_t cq) {
    if (cq < cqs_.size()) {
        begin_anew(waits_[cqs_[cq].first_wait]);
        return renew(cqs_[cq].line);
    }
    cqs_.push_back({add(LineKind::cq, cq), static_cast<std::uint32_t>(waits_.size())});
    waits_.push_back({LineUser::cq, false, cq});
}

class ContextLines::Step {
  public:
    Step(ContextLines& all, Cycle now, std::uint32_t wait) : all_(all), now_(now), wait_(wait) {}

    /// False: it is missing, and asked for.
    bool has(LineId line) {
        ++lines_;
        Wait& wait = all_.waits_[wait_];
        if (lines_ <= wait.got || all_.cache_.touch(line)) return true;
        wait.got = lines_;
        all_.wait_for(now_, line, wait_);
        return false;
    }
    bool has(const MemoryUse& use) {
        const auto pages = all_.regions_.pages_of(use.key, {use.where.address, use.where.length});
        if (!pages) return true;  // will be refused
        if (!has(all_.of_region_[MrTable::index_of(use.key)])) return false;
        const std::uint64_t last = (pages->first + pages->count - 1) / kPagesOfLine;
        for (std::uint64_t line = pages->first / kPagesOfLine; line <= last; ++line) {
            if (!has(all_.of_pages_[line])) return false;
        }
        return true;
    }
    bool complete() {
        std::uint32_t& got = all_.waits_[wait_].got;
        if (got == 0) ++all_.counters_.hits;
        got = 0;
        return true;
    }

  private:
    ContextLines& all_;
    const Cycle now_;
    const std::uint32_t wait_;
    std::uint32_t lines_ = 0;
};

bool ContextLines::look(Cycle now, LineUser user, Qpn qp, const MemoryUses& uses) {
    if (qp.n >= qps_.size() || qps_[qp.n].first_wait == kNone) return true;
    const std::uint32_t wait = qps_[qp.n].first_wait + static_cast<std::uint32_t>(user);
    if (waits_[wait].waits) return false;
    Step step(*this, now, wait);
    return step.has(qps_[qp.n].line) &&
           std::ranges::all_of(uses, [&](const MemoryUse& use) { return step.has(use); }) && step.complete();
}

bool ContextLines::cq_at_hand(Cycle now, std::uint32_t cq) {
    const std::uint32_t wait = cqs_[cq].first_wait;
    if (waits_[wait].waits) return false;
    Step step(*this, now, wait);
    return step.has(cqs_[cq].line) && step.complete();
}

void ContextLines::wait_for(Cycle now, LineId line, std::uint32_t wait) {
    Place& at = place(line);
    waits_[wait].waits = true;
    waits_[wait].next = kNone;
    if (at.first_waiter != kNone) {  // it is on its way already
        waits_[at.last_waiter].next = wait;
        at.last_waiter = wait;
        return;
    }
    at.first_waiter = at.last_waiter = wait;
    ++counters_.misses[static_cast<std::size_t>(cache_.kind(line))];
    asked_.push(line);
    read_more(now);
}

void ContextLines::read_more(Cycle now) {
    while (reading_ < most_ && !asked_.empty()) {
        const LineId line = asked_.pop_front();
        ++reading_;
        port_.read_line(now, line, place(line).address, bytes_of(line));
    }
}

void ContextLines::came(Cycle now, LineId line) {
    --reading_;
    for (const LineId old : cache_.put(line)) {
        port_.write_line(now, place(old).address, bytes_of(old));
        ++counters_.write_backs;
    }
    read_more(now);
    std::uint32_t wait = place(line).first_waiter;
    place(line).first_waiter = place(line).last_waiter = kNone;
    while (wait != kNone) {
        Wait& of = waits_[wait];
        wait = of.next;
        of.waits = false;
        waiter_.line_came(now, of.user, of.of);
    }
}

}  // namespace rnicsim::rc
