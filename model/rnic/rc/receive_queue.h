// SPDX-License-Identifier: Apache-2.0
// Receive WQEs that the RNIC has read: of one QP, or shared by several (SRQ). New ones are only noticed by reading the
// queue's record in host memory: no doorbell says that there are any. So how many are in the queue, for the limit of an
// SRQ, is asked of the record, too (V-S14).
#pragma once

#include "model/rnic/rc/actions.h"
#include "model/rnic/rc/counted_ring.h"

#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace rnicsim::rc {

class ReceiveQueue {
  public:
    ReceiveQueue(ReceiveQueueNumber number, bool shared) : number_(number), shared_(shared) {}

    [[nodiscard]] bool shared() const { return shared_; }
    /// The QP whose queue it is, if it is not shared.
    [[nodiscard]] Qpn owner() const { return owner_; }
    void set_owner(Qpn qp) { owner_ = qp; }
    [[nodiscard]] std::size_t ready() const { return ready_.size(); }

    /// The one that take() would give; nullptr: none.
    [[nodiscard]] const ReceiveWqe* next() const { return ready_.empty() ? nullptr : &ready_.front(); }

    void fetched(std::span<const ReceiveWqe> wqes, RcActions& actions) {
        asked_ = false;
        looked_in_vain_ = wqes.empty() && wanted_;
        wanted_ = false;
        for (const ReceiveWqe& wqe : wqes) ready_.push(wqe);
        if (std::exchange(again_, false)) ask(actions);
    }
    void ask(RcActions& actions) {
        if (asked_) return;
        asked_ = true;
        actions.fetch_receives(number_);
    }
    /// Some have just been posted: a read that is under way may not have seen them, and is followed by another.
    void ask_for_new(RcActions& actions) {
        again_ = asked_;
        ask(actions);
    }

    enum class Look : std::uint8_t { ready, none, reading };
    /// Is there one for a packet? `none`: the queue has just been read for such a packet, and was empty.
    Look look(RcActions& actions) {
        if (!ready_.empty()) return Look::ready;
        if (looked_in_vain_) {
            looked_in_vain_ = false;
            return Look::none;
        }
        wanted_ = true;
        ask(actions);
        return Look::reading;
    }
    /// Precondition: ready() > 0. Reads more when fewer than `batch` are left.
    ReceiveWqe take(Qpn qp, std::uint32_t batch, RcActions& actions) {
        const ReceiveWqe wqe = ready_.pop_front();
        taken_ = wqe.index + 1;
        taker_ = qp;
        if (ready_.size() < batch) ask(actions);
        if (limit_ != 0) look_at_limit(actions);
        return wqe;
    }

    /// Wanted: to be told, once, that fewer than `limit` are in the queue; 0: not any more (V-S14).
    void arm(std::uint32_t limit, RcActions& actions) {
        limit_ = limit;
        look_at_limit(actions);
    }
    /// The record says that so many have been posted, counted on. True: fewer than the limit are left of them, which by
    /// this is off.
    [[nodiscard]] bool recorded(std::uint32_t posted) {
        posted_ = posted;
        record_asked_ = false;
        if (!below_limit()) return false;
        limit_ = 0;
        return true;
    }
    [[nodiscard]] std::uint32_t limit() const { return limit_; }
    /// The QP that has taken the last one.
    [[nodiscard]] Qpn taker() const { return taker_; }

    std::optional<ReceiveWqe> flush_one() {
        if (ready_.empty()) return {};
        return ready_.pop_front();
    }
    /// A QP takes no more of it, so perhaps the packet that has looked will not ask. Others look again.
    void forget_looks() { looked_in_vain_ = wanted_ = false; }
    /// In RESET: as if nothing had been posted.
    void clear() {
        ready_.clear();
        forget_looks();
        again_ = false;
    }

    /// All but the WQEs and the limit, to compare states of cards without one.
    [[nodiscard]] auto memory() const { return std::tie(asked_, again_, wanted_, looked_in_vain_); }

  private:
    [[nodiscard]] bool below_limit() const { return posted_ - taken_ < limit_; }
    /// The record may say more than what was read last, so that is not believed.
    void look_at_limit(RcActions& actions) {
        if (!below_limit() || record_asked_) return;
        record_asked_ = true;
        actions.read_record(number_);
    }

    ReceiveQueueNumber number_;
    bool shared_;
    Qpn owner_;
    CountedRing<ReceiveWqe> ready_;
    bool asked_ = false;           // a read is under way
    bool wanted_ = false;          // ... and a packet waits for it
    bool looked_in_vain_ = false;  // ... has ended, and there was none
    bool again_ = false;           // ... is followed by another one

    std::uint32_t posted_ = 0, taken_ = 0;  // counted on; posted as last read
    std::uint32_t limit_ = 0;               // 0: nobody wants to know
    bool record_asked_ = false;             // its read is under way, for the limit
    Qpn taker_;
};

}  // namespace rnicsim::rc
