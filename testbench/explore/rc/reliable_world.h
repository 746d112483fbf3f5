// SPDX-License-Identifier: Apache-2.0
// RcTransports and all that is between them as one value, without time and bytes: one end of a connection asks, the
// other answers; or both ask; or two QPs of one card are asked, which share a receive queue. Each step calls the real
// decisions and checks what they do.
//
// Cards are a, b and c. End 2n asks on connection n, end 2n + 1 is b's; with `both_ends` it asks as well. A wire has
// the number of the end that sends on it.
#pragma once

#include "testbench/explore/mixer.h"
#include "testbench/explore/rc/card_state.h"
#include "testbench/explore/rc/step.h"
#include "tlm/roce/header.h"

#include <string>

namespace rnicsim::rc {

class ReliableWorld {
  public:
    explicit ReliableWorld(const Workload& workload);

    /// How many of this step there are: the second number of apply().
    [[nodiscard]] std::uint8_t variants(Step step) const;
    /// `quiet`: nothing else can happen, so that a timer is no fault.
    Outcome apply(Step step, std::uint8_t of, bool quiet);
    /// Every WQE has ended, and nothing is left.
    [[nodiscard]] bool over() const;
    /// The rule that the last step has broken, or nothing.
    [[nodiscard]] std::string broken() const;
    /// What the step does here, in words.
    [[nodiscard]] std::string in_words(Step step, std::uint8_t of) const;
    /// All that can matter later, to compare states.
    friend explore::Digest digest(const ReliableWorld& world);

  private:
    struct Flight {
        roce::Header header;
        Payload payload;
        std::uint64_t read_at = 0;  ///< of a READ's response: where its payload comes from
    };
    struct Wire {
        std::vector<Flight> frames;
        bool held = false;  ///< the card has the first one, and waits for a receive WQE
    };

    // Ends, cards and requesters by number.
    [[nodiscard]] bool both() const { return workload_->requesters == Requesters::both_ends; }
    [[nodiscard]] static std::uint8_t card_of(std::uint8_t end) { return end == 2 ? 2 : end % 2; }
    [[nodiscard]] static std::uint8_t place_of(std::uint8_t end) { return end / 3; }
    [[nodiscard]] static std::uint8_t peer_of(std::uint8_t end) { return end ^ 1U; }
    /// Of a card's QP.
    [[nodiscard]] static std::uint8_t end_at(std::uint8_t card, std::uint8_t place) {
        return card == 2 ? 2 : card + 2 * place;
    }
    [[nodiscard]] std::uint8_t ends() const { return static_cast<std::uint8_t>(wires_.size()); }
    [[nodiscard]] std::uint8_t requesters() const { return workload_->requesters == Requesters::one ? 1 : 2; }
    [[nodiscard]] std::uint8_t end_of_requester(std::uint8_t r) const { return both() ? r : 2 * r; }
    [[nodiscard]] std::uint8_t requester_of(std::uint8_t end) const { return both() ? end : end / 2; }
    [[nodiscard]] bool asks(std::uint8_t end) const { return both() || end % 2 == 0; }
    /// `number`: 0 is b; 1 is a, if b asks as well.
    [[nodiscard]] static std::uint8_t answering_card(std::uint8_t number) { return 1 - number; }
    /// Its writes to memory are steps of their own.
    [[nodiscard]] bool answers(std::uint8_t card) const { return card == 1 || both(); }
    [[nodiscard]] const std::vector<Verb>& messages_of(std::uint8_t requester) const {
        return requester == 0 ? workload_->messages : workload_->others;
    }
    [[nodiscard]] std::uint8_t packets_of(Verb verb) const {
        return is_atomic(verb) || verb == Verb::flush || verb == Verb::atomic_write
                   ? 1
                   : static_cast<std::uint8_t>(workload_->packets);
    }
    /// ... that are placed somewhere.
    [[nodiscard]] std::uint8_t payloads_of(Verb verb) const { return verb == Verb::flush ? 0 : packets_of(verb); }
    [[nodiscard]] EndState& end(std::uint8_t e) { return cards_[card_of(e)].ends[place_of(e)]; }
    [[nodiscard]] const EndState& end(std::uint8_t e) const { return cards_[card_of(e)].ends[place_of(e)]; }
    [[nodiscard]] const Qp& qp(std::uint8_t e) const { return cards_[card_of(e)].state(place_of(e)); }
    [[nodiscard]] bool in_error(std::uint8_t e) const { return qp(e).state == QpState::error; }
    /// A QP may go to ERR, and the other end's then has to follow.
    [[nodiscard]] bool may_fail() const {
        return workload_->to_error || workload_->deregister || workload_->rnr != kEndlessRnrRetry;
    }
    [[nodiscard]] std::string name_of(std::uint8_t end) const;

    // Steps: reliable_world.cpp, and reliable_program.cpp what is posted.
    Outcome post(std::uint8_t requester);
    Outcome post_receive(CardState& card);
    Outcome read_receives(CardState& card);
    Outcome transmit(CardState& card, Lane lane);
    Outcome deliver(std::uint8_t wire);
    bool hand_over(std::uint8_t wire);
    void hand_over_held(const CardState& card);
    [[nodiscard]] SendWqe send_wqe(std::uint8_t from, std::uint32_t number) const;
    Outcome write_one(CardState& card);
    Outcome atomic(CardState& card);
    Outcome flush_read(CardState& card, std::uint32_t tag);
    Outcome timer(CardState& card, bool quiet);
    Outcome modify_to_error(std::uint8_t end, bool quiet);
    Outcome deregister();
    Outcome fault(Step step, std::uint8_t wire);
    void fetch_sends(CardState& card);
    void settle();
    [[nodiscard]] std::uint8_t wire_of(Step step, std::uint8_t connection) const {
        return 2 * connection + (is_of_request(step) ? 0 : 1);
    }
    [[nodiscard]] ReceiveWqe receive_wqe(const CardState& card, std::uint32_t number) const;
    /// How many receive WQEs messages of a requester, or all that a card gets, take.
    [[nodiscard]] std::uint32_t takers_of(std::uint8_t requester, std::size_t messages = kMostMessages) const;
    [[nodiscard]] std::uint32_t takers_at(const CardState& card) const;

    // What must hold: reliable_rules.cpp.
    void judge_packet(std::uint8_t end, Lane lane, const Packet& packet);
    void judge_answer(std::uint8_t end, const Flight& flight);
    void judge_receive(std::uint8_t end, std::optional<std::uint32_t> held_before, std::size_t writes_before);
    void judge_durable(std::uint8_t end, std::uint8_t message);
    void judge_persisted(std::uint8_t end);
    void judge_atomic_write(std::uint8_t end, std::size_t writes_before);
    void judge_decided(std::uint8_t end, const CardState::Write& cqe);
    void judge_decided_receive(std::uint8_t end, const CardState::Write& cqe);
    void judge_written(std::uint8_t end, const CardState::Write& cqe);
    [[nodiscard]] Payload answered_by(std::uint8_t requester, Psn psn) const;
    [[nodiscard]] bool has_cause(std::uint8_t end, Status status, std::uint32_t message) const;
    [[nodiscard]] bool has_arrived(std::uint8_t requester, std::uint8_t message) const;
    [[nodiscard]] bool lasts(std::uint8_t requester, std::uint8_t message) const;
    [[nodiscard]] bool all_last(std::uint8_t requester, std::uint8_t before) const;
    [[nodiscard]] bool over(std::uint8_t connection) const;
    [[nodiscard]] bool ended_well(std::uint8_t requester) const;
    [[nodiscard]] bool ended_in_error(std::uint8_t end) const;

    const Workload* workload_;  // not owned
    std::vector<CardState> cards_;
    std::vector<Wire> wires_;
    std::vector<std::uint8_t> waiting_;  ///< wires whose first frame is held, in this order
    std::uint32_t faults_left_;
    bool disturbed_ = false;  ///< a QP was modified to ERR, or a region deregistered
    std::string_view broken_;
};

}  // namespace rnicsim::rc
