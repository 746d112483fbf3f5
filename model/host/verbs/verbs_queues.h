// SPDX-License-Identifier: Apache-2.0
// The queues of a RoCEv2 RNIC as software has them: rings in host memory and doorbells on the card. Each call has its
// effect at once and takes no time: whose time it is knows the caller.
#pragma once

#include "model/host/memory.h"
#include "model/host/root_complex.h"
#include "model/host/verbs/config.h"
#include "model/rnic/rc/rc_rnic.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rnicsim {

/// Of several send WQEs that are posted together the last one's doorbell stands for all.
enum class Bell : std::uint8_t { rings, later };

class VerbsQueues {
  public:
    VerbsQueues(Memory& memory, RootComplex& root_complex) : memory_(memory), root_complex_(root_complex) {}

    /// Before anything else; not owned.
    void attach(rc::RcRnic& card) {
        card_ = &card;
        card.set_cq_records([this](rc::Cqn cq) { return queues_[static_cast<std::size_t>(cq)].taken; });
    }

    [[nodiscard]] rc::RcRnic& card() { return *card_; }

    rc::Cqn create_cq(const rc::CqRing& ring);
    /// New entries go to another ring; those in the old one are taken first. Precondition: moved() of the move before.
    void move_cq(rc::Cqn cq, const rc::CqRing& ring);
    /// All entries of the ring before are taken.
    [[nodiscard]] bool moved(rc::Cqn cq) const { return queues_[static_cast<std::size_t>(cq)].before.entries == 0; }
    /// Its ring may be used for something else once the card writes nothing more there.
    void destroy_cq(rc::Cqn cq);
    // Once nothing of them is on its way any more: their numbers are used again.
    void free_cq(rc::Cqn cq) { card_->destroy_cq(cq); }
    void free_receive_queue(rc::ReceiveQueueNumber queue) { card_->destroy_receive_queue(queue); }
    /// Of one QP, or `shared` by several (SRQ).
    rc::ReceiveQueueNumber create_receive_queue(const rc::ReceiveRing& ring, bool shared);
    /// Precondition: its receive queue has been made, and the card has room.
    rc::Qpn create_qp(rc::QpInit init, const rc::SendRing& sends);

    /// In the command that brings a QP to RESET: its rings begin anew, as the card's do (V-Q1). `receives`: of it
    /// alone.
    void restart(rc::Qpn qp, std::optional<rc::ReceiveQueueNumber> receives);

    /// Writes the WQE and tells the card. `payload`: of an inline one.
    void send(Cycle now, rc::Qpn qp, const rc::SendWqe& wqe, std::span<const std::uint8_t> payload, Posting posting,
              Bell bell = Bell::rings);
    /// Writes the WQE; the card looks for itself.
    void receive(rc::ReceiveQueueNumber queue, const rc::ReceiveSges& sges);
    /// Receives have been posted to this QP. In ERR, of which the driver knows by an event, it would not look: no
    /// doorbell tells of them.
    void flush_if_failed(Cycle now, rc::Qpn qp);
    /// The same of the QP whose queue it is, if it is not shared.
    void flush_if_failed(Cycle now, rc::ReceiveQueueNumber queue);
    /// The next entry. Precondition: it has been written. Throws std::logic_error if it has the phase of the ring's
    /// last use.
    rc::Completion take(Cycle now, rc::Cqn cq);
    /// Tells the card how far entries have been taken, and asks for an event; `bits`: of rc::page.
    void arm(Cycle now, rc::Cqn cq, std::uint32_t bits);
    /// Asks for an event when fewer receive WQEs than `limit` are left; 0: does not. Precondition: the queue is shared.
    void arm_limit(Cycle now, rc::ReceiveQueueNumber queue, std::uint32_t limit);

    /// Has the card do something that is no work request; it takes the way of a doorbell.
    void ask(Cycle now, rc::RcRnic::Command command);

    /// Whose ring it is in, if one's.
    [[nodiscard]] std::optional<rc::Cqn> cq_at(std::uint64_t address) const;
    [[nodiscard]] std::uint32_t sends_posted(rc::Qpn qp) const { return sends_[place_[qp.n]].posted; }
    [[nodiscard]] std::uint32_t receives_posted(rc::ReceiveQueueNumber queue) const {
        return receives_[static_cast<std::size_t>(queue)].posted;
    }
    [[nodiscard]] std::size_t cqs() const { return queues_.size(); }

    struct Counters {
        std::uint64_t sends = 0, pushes = 0, receives = 0, completions = 0;
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    void write_words(Cycle now, std::uint64_t offset, std::uint32_t first, std::uint32_t second);

    struct Queue {
        rc::CqRing ring;
        rc::CqRing before;                  // no entries: there is none, or all have been taken
        std::uint32_t from = 0;             // the first entry in `ring`, where there was one before
        std::uint32_t taken = 0, told = 0;  // entries, counted on; told to the card
    };
    /// If all of its ring before have been taken.
    void end_move(Queue& queue);

    struct Sends {
        rc::SendRing ring;
        std::uint32_t posted = 0;  // counted on
    };
    struct Receives {
        rc::ReceiveRing ring;
        std::uint32_t posted = 0;  // counted on
    };

    Memory& memory_;
    RootComplex& root_complex_;
    rc::RcRnic* card_ = nullptr;  // not owned
    std::vector<Queue> queues_;
    std::uint32_t moving_ = 0;  // queues with a ring before
    std::vector<Sends> sends_;
    static constexpr std::size_t kNone = ~std::size_t{0};
    std::vector<std::size_t> place_;  // in sends_, by QPN
    std::vector<Receives> receives_;  // by number
    Counters counters_;
};

}  // namespace rnicsim
