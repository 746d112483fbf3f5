// SPDX-License-Identifier: Apache-2.0
// The send queue of a QP: WQEs from posting to completion, and which PSNs they have. All from `cursor` on is sent in
// order; after a loss `cursor` goes back, and sends up to `repeat_end` again what is not known to have come.
//
//      completed | oldest (not acknowledged) ... cursor (sent next) ... next (never sent) | WQEs not begun
#pragma once

#include "model/rnic/rc/came_ahead.h"
#include "model/rnic/rc/counted_ring.h"
#include "model/rnic/rc/verbs.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace rnicsim::rc {

struct SendEntry {
    SendWqe wqe;
    std::uint32_t bytes = 0;
    Psn first;                  ///< this and the next two: since it has begun
    std::uint32_t packets = 1;  ///< PSNs that it takes (V-R1)
    Psn ssn;                    ///< counts messages
    bool apart = false;         ///< of a WRITE, with selective repeat: V-R12
    [[nodiscard]] Psn end() const { return first + packets; }
};

constexpr std::uint32_t distance(Psn from, Psn to) { return (to - from.n).n; }
constexpr std::uint32_t packets_of(std::uint32_t bytes, std::uint32_t pmtu) {
    return bytes == 0 ? 1 : (bytes - 1) / pmtu + 1;
}

class SendQueue {
  public:
    using Number = CountedRing<SendEntry>::Number;

    explicit SendQueue(std::uint32_t size) : size_(size) {}

    // WQEs.
    /// False: the queue has no room for so many; `held`: that are before the front, and take room.
    bool post(std::uint32_t count, std::uint32_t held = 0) {
        if (posted_ - entries_.first() + held + count > size_) return false;
        posted_ += count;
        return true;
    }
    /// What to read from memory now: the next `batch` as soon as fewer than that have not begun, so that the next ones
    /// are on their way while these are sent.
    std::optional<SendFetch> next_fetch(Qpn qp, std::uint32_t batch) {
        if (asked_ - begun_ >= batch || posted_ == asked_) return {};
        const SendFetch fetch{qp, asked_, std::min(batch, posted_ - asked_)};
        asked_ += fetch.count;
        return fetch;
    }
    /// The WQE has come with its doorbell, and is the next one: it need not be read.
    [[nodiscard]] bool takes_pushed() const { return asked_ == entries_.end() && posted_ - asked_ == 1; }
    void pushed() { ++asked_; }
    /// False: nobody has asked for it (any more).
    bool fetched(const SendWqe& wqe) {
        if (entries_.end() == asked_) return false;
        SendEntry entry;
        entry.wqe = wqe;
        entries_.push(entry);
        return true;
    }
    [[nodiscard]] bool empty() const { return posted_ == entries_.first(); }
    /// Number of the oldest WQE that has not completed.
    [[nodiscard]] Number front_number() const { return entries_.first(); }
    /// Precondition of the next two: the oldest has been fetched.
    [[nodiscard]] const SendEntry& front() const { return entries_.front(); }
    void pop() {
        if (front_begun() && has_answer(front().wqe.verb)) --answers_due_;
        entries_.pop();
        begun_ = std::max(begun_, entries_.first(), before);
        at_ = std::max(at_, entries_.first(), before);
    }
    /// Precondition: it has been fetched, and has not completed.
    [[nodiscard]] const SendEntry& entry(Number n) const { return entries_[n]; }
    [[nodiscard]] bool front_begun() const { return begun_ != entries_.first(); }
    /// All that was posted is gone; returns the number of the first one that was left. What is being read is not
    /// wanted any more.
    Number flush() {
        const Number first = entries_.first();
        entries_.restart_at(posted_);
        asked_ = begun_ = at_ = posted_;
        answers_due_ = 0;
        oldest_ = cursor_ = repeat_end_ = sent_after_ = next_;
        came_.clear();
        return first;
    }
    [[nodiscard]] Number posted() const { return posted_; }
    /// One past the last one fetched, and begun.
    [[nodiscard]] Number fetched_end() const { return entries_.end(); }
    [[nodiscard]] Number begun_end() const { return begun_; }

    // PSNs.
    void start_at(Psn first) { oldest_ = cursor_ = next_ = repeat_end_ = sent_after_ = first; }
    [[nodiscard]] Psn oldest() const { return oldest_; }
    /// All before it belongs to messages that are over.
    [[nodiscard]] Psn settled() const { return front_begun() ? entries_.front().first : oldest_; }
    [[nodiscard]] Psn cursor() const { return cursor_; }
    [[nodiscard]] Psn next() const { return next_; }
    [[nodiscard]] std::uint32_t outstanding() const { return distance(oldest_, next_); }
    [[nodiscard]] bool resending() const { return cursor_ != next_; }
    /// Of the message that begins next.
    [[nodiscard]] Psn next_ssn() const { return ssn_ + 1; }
    /// READs and atomics that have begun and are not answered.
    [[nodiscard]] std::uint32_t answers_due() const { return answers_due_; }

    /// The WQE that `cursor` is in, or that begins there; nullptr: it has not been fetched.
    [[nodiscard]] const SendEntry* current() const { return entries_.holds(at_) ? &entries_[at_] : nullptr; }
    [[nodiscard]] Number current_number() const { return at_; }
    [[nodiscard]] bool current_begun() const { return at_ != begun_; }
    /// Precondition: there is a current one, and it has not begun.
    void begin_current(std::uint32_t pmtu, bool apart = false) {
        SendEntry& entry = entries_[at_];
        entry.bytes = static_cast<std::uint32_t>(bytes_of(entry.wqe));
        entry.first = next_;
        entry.packets = packets_of(entry.bytes, pmtu);
        entry.ssn = ssn_ = next_ssn();
        entry.apart = apart;
        if (has_answer(entry.wqe.verb)) ++answers_due_;
        ++begun_;
    }
    /// The WQE that has this PSN. Precondition: it is outstanding.
    [[nodiscard]] const SendEntry& entry_of(Psn psn) const { return entries_[number_of(psn)]; }
    /// PSNs of the current one, from the cursor on, that are to be sent: with selective repeat not all.
    [[nodiscard]] std::uint32_t run() const {
        const std::uint32_t rest = distance(cursor_, entries_[at_].end());
        if (!resending()) return rest;
        std::uint32_t psns = 1;
        while (psns < rest && cursor_ + psns != repeat_end_ && !has_come(cursor_ + psns)) ++psns;
        return psns;
    }
    /// A packet of the current one goes out that takes so many PSNs.
    void sent(std::uint32_t psns) {
        if (distance(cursor_, next_) < psns) next_ = cursor_ + psns;
        cursor_ = cursor_ + psns;
        if (cursor_ == entries_[at_].end()) ++at_;
        skip();
    }
    /// So many of the front's PSNs are acknowledged. What is acknowledged is not sent again, but in a message that is
    /// repeated from its first packet.
    void advance(std::uint32_t psns) {
        oldest_ = oldest_ + psns;
        came_.advance(psns);
        if (ahead(oldest_, repeat_end_) > 0) repeat_end_ = oldest_;
        if (ahead(oldest_, sent_after_) > 0) sent_after_ = oldest_;
        const bool ended = oldest_ == front().end();
        if (ahead(cursor_, oldest_) >= 0 || (repeats_message_ && !ended)) return;
        cursor_ = oldest_;
        at_ = entries_.first() + (ended ? 1 : 0);
        skip();
    }
    /// All from `oldest` on is sent again, but not what is known to have come; or its whole message, of which nothing
    /// counts as acknowledged any more. Precondition: outstanding() > 0.
    void rewind(bool repeat_message) {
        repeats_message_ = repeat_message;
        if (repeat_message) oldest_ = front().first;
        cursor_ = repeat_message ? front().first : oldest_;
        at_ = entries_.first();
        repeat_end_ = sent_after_ = next_;
    }
    /// The oldest PSN is about to be sent again.
    [[nodiscard]] bool oldest_is_due() const { return resending() && ahead(oldest_, cursor_) >= 0; }

    // Selective repeat (V-R11): single PSNs are sent again.
    [[nodiscard]] bool has_come(Psn psn) const { return came_.has(distance(oldest_, psn)); }
    /// Precondition: it is outstanding.
    void mark_come(Psn psn) {
        came_.mark(distance(oldest_, psn));
        skip();  // it may have been the next one to be repeated
    }
    /// What has not come before this has been sent again, or will be.
    [[nodiscard]] Psn repeat_end() const { return repeat_end_; }
    /// From here on PSNs were sent after what was sent again last.
    [[nodiscard]] Psn sent_after() const { return sent_after_; }
    /// What has not come before `end` is sent again, unless it was or will be since the last rewind.
    void repeat_before(Psn end) {
        Psn from = repeat_end_;
        while (ahead(end, from) > 0 && has_come(from)) from = from + 1;
        if (ahead(end, from) <= 0) return;
        sent_after_ = next_;
        repeat_end_ = end;
        if (resending()) return;  // goes on to there
        cursor_ = from;
        at_ = number_of(from);
    }
    /// What was sent again is lost, too: it may be sent again once more.
    void forget_repetition() { repeat_end_ = oldest_; }
    /// As rewind(), but only what has not come before `end`.
    void rewind_before(Psn end) {
        cursor_ = next_;
        repeat_end_ = oldest_;
        repeat_before(end);
    }

    /// All but the WQEs, to compare states.
    [[nodiscard]] auto memory() const {
        return std::tie(posted_, asked_, begun_, at_, oldest_.n, cursor_.n, next_.n, ssn_.n, answers_due_,
                        repeats_message_);
    }
    [[nodiscard]] const CameAhead& came() const { return came_; }

  private:
    static bool before(Number a, Number b) { return static_cast<std::int32_t>(a - b) < 0; }
    [[nodiscard]] Number number_of(Psn psn) const {
        Number number = entries_.first();
        while (distance(entries_[number].first, psn) >= entries_[number].packets) ++number;
        return number;
    }
    /// The cursor passes what has come; behind the last one to be repeated it goes on with what was never sent.
    void skip() {
        while (resending()) {
            if (cursor_ == repeat_end_) {
                cursor_ = next_;
                at_ = entries_[begun_ - 1].end() == next_ ? begun_ : begun_ - 1;
            } else if (has_come(cursor_)) {
                cursor_ = cursor_ + 1;
                if (cursor_ == entries_[at_].end()) ++at_;
            } else {
                return;
            }
        }
    }

    std::uint32_t size_;
    CountedRing<SendEntry> entries_;  // fetched, not completed
    Number posted_ = 0, asked_ = 0;   // one past the last one posted, asked for, begun
    Number begun_ = 0, at_ = 0;       // `at_`: current()
    Psn oldest_, cursor_, next_, ssn_;
    std::uint32_t answers_due_ = 0;
    bool repeats_message_ = false;
    CameAhead came_;  // from `oldest_` on
    Psn repeat_end_, sent_after_;
};

}  // namespace rnicsim::rc
