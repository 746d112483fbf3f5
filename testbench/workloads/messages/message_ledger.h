// SPDX-License-Identifier: Apache-2.0
// Where the time of a message between RoCEv2 RNICs goes: every picosecond from the program's call to the message's end
// belongs to exactly one part, by what its oldest packet without an answer waits for.
//
//   |--- post ---|--- fetch ---|--- queue ---|-- wire, retransmission, rnr --|--- completion ---|
//   call         the card      it has the    its first packet                all is             the program
//                knows of it   WQE           is decided                      acknowledged       has the completion
//
// `queue`: behind other messages of the QP and other QPs, for the window, credits, a fence, READs outstanding, the
// pace. Between first packet and last answer: `rnr` while an RNR NAK asks to wait; `retransmission` from the last
// answer before a loss on, until all that was sent a second time is acknowledged; else `wire`. In turn a sample is half
// a round, so both messages of a round have half of their parts: of each `wire` lasts until its receiver sees it, or
// its sender's card is done with it if that is earlier, and `completion` from there until that answers.
#pragma once

#include "model/config.h"
#include "model/rnic/rc/rc_observer.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/kits/rc/verbs_observer.h"
#include "testbench/records/run_result.h"
#include "testbench/workloads/messages/message_sample.h"

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace rnicsim {

class MessageLedger final : public VerbsObserver {
  public:
    /// `next`: the observer that gets each report afterwards. None is owned.
    MessageLedger(const RunConfig& config, const VerbsLayout& layout, VerbsObserver& next);

    /// By host: hears how far the messages of its card are.
    [[nodiscard]] std::vector<rc::RcObserver*> cards();

    void connected(std::size_t connection, unsigned side, rc::Qpn qp) override;
    void receive_posted(unsigned host, std::uint32_t slot) override { next_.receive_posted(host, slot); }
    void posted(const PostedMessage& message, Time begins) override;
    void completed(std::size_t connection, unsigned side, const rc::Completion& completion, Time now) override;
    void seen(std::size_t connection, unsigned side, std::uint32_t number, Time now) override;
    void ended(std::size_t connection, std::uint32_t messages, Time now) override;

    /// Where the parts of messages are recorded: of all connections, in their order. Not owned.
    void record_in(std::span<Sample> samples);
    /// Empty as long as the parts of each message add up to its time.
    [[nodiscard]] const std::string& violation() const { return violation_; }

  private:
    /// When a message has come how far.
    struct Message {
        Time called, posted, fetched, begun, answered;
        std::int64_t retransmission = 0, rnr = 0;  // ps, of begun to answered
    };
    /// The oldest packet waits for what was lost, or for a receive WQE.
    struct Trouble {
        Time from, to;
        bool rnr = false;
    };
    /// The send queue of one end of a connection.
    struct Queue {
        std::vector<Message> messages;  // number n in place n % size
        std::array<std::uint32_t, 4> reached{};
        Time progressed;
        std::vector<Trouble> troubles;  // in order; the last one may be open
        std::uint32_t seen = 0;         // in turn: messages that their receiver has seen

        [[nodiscard]] Message& at(std::uint32_t number) { return messages[number % messages.size()]; }
        [[nodiscard]] bool in_trouble() const { return !troubles.empty() && troubles.back().to == kEndOfTime; }
        /// Its packets have their answers; what troubles there were is known.
        void answer(Message& message, Time at);
    };
    struct Connection {
        std::array<Queue, 2> queues;
        std::span<Sample> samples;   // by message of the initiator
        std::uint32_t messages = 0;  // of the initiator, in all
        bool in_turn = false;
        std::uint32_t ended = 0;
    };
    struct Place {
        std::size_t connection = 0;
        unsigned side = 0;
    };
    class Card final : public rc::RcObserver {
      public:
        explicit Card(MessageLedger& all) : all_(all) {}
        void noted(rc::Qpn /*qp*/, rc::RcCount /*what*/) override {}
        void reached(rc::Qpn qp, rc::Stage stage, std::uint32_t end, Time at) override;
        void progressed(rc::Qpn qp, bool again, Time at) override;
        void goes_back(rc::Qpn qp, Time not_before, Time at) override;
        std::vector<Place> by_qp;

      private:
        [[nodiscard]] Queue& queue(rc::Qpn qp) const;
        MessageLedger& all_;
    };

    void receiver_saw(std::size_t connection, unsigned sender, Time now);
    void check(const Sample& of);

    const VerbsLayout& layout_;
    VerbsObserver& next_;
    std::vector<Connection> connections_;
    std::deque<Card> cards_;  // by host
    std::string violation_;
};

}  // namespace rnicsim
