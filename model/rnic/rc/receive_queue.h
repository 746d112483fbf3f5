// Receive WQEs that the RNIC has read: of one QP, or shared by several (SRQ). New ones are only noticed by reading the
// queue's record in host memory: no doorbell says that there are any.
#pragma once

#include "model/rnic/rc/actions.h"
#include "model/rnic/rc/counted_ring.h"

#include <optional>
#include <span>
#include <tuple>

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

    void fetched(std::span<const ReceiveWqe> wqes) {
        asked_ = false;
        looked_in_vain_ = wqes.empty() && wanted_;
        wanted_ = false;
        for (const ReceiveWqe& wqe : wqes) ready_.push(wqe);
    }
    void ask(RcActions& actions) {
        if (asked_) return;
        asked_ = true;
        actions.fetch_receives(number_);
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
    ReceiveWqe take(std::uint32_t batch, RcActions& actions) {
        const ReceiveWqe wqe = ready_.pop_front();
        if (ready_.size() < batch) ask(actions);
        return wqe;
    }
    std::optional<ReceiveWqe> flush_one() {
        if (ready_.empty()) return {};
        return ready_.pop_front();
    }
    /// In RESET: as if nothing had been posted.
    void clear() {
        ready_.clear();
        looked_in_vain_ = wanted_ = false;
    }

    /// All but the WQEs, to compare states.
    [[nodiscard]] auto memory() const { return std::tie(asked_, wanted_, looked_in_vain_); }

  private:
    ReceiveQueueNumber number_;
    bool shared_;
    Qpn owner_;
    CountedRing<ReceiveWqe> ready_;
    bool asked_ = false;           // a read is under way
    bool wanted_ = false;          // ... and a packet waits for it
    bool looked_in_vain_ = false;  // ... has ended, and there was none
};

}  // namespace rnicsim::rc
