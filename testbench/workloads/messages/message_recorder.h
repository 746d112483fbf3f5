// SPDX-License-Identifier: Apache-2.0
// Turns what programs do with messages, and what RoCEv2 RNICs count, into logged events, and passes it on.
#pragma once

#include "model/rnic/rc/rc_observer.h"
#include "testbench/events/event_log.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/kits/rc/verbs_observer.h"

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace rnicsim {

/// A host's card has just counted this.
LoggedEvent note_of(unsigned host, rc::Qpn qp, rc::RcCount what);

class MessageRecorder final : public VerbsObserver {
  public:
    /// `next`: who gets each report afterwards; `cards`: the same of each host's card. None is owned.
    MessageRecorder(EventSink& sink, VerbsObserver& next, const VerbsLayout& layout,
                    const std::vector<rc::RcObserver*>& cards);

    /// By host: hears what its card counts.
    [[nodiscard]] std::vector<rc::RcObserver*> cards() {
        std::vector<rc::RcObserver*> all;
        for (Card& card : cards_) all.push_back(&card);
        return all;
    }

    void connected(std::size_t connection, unsigned side, rc::Qpn qp) override;
    void receive_posted(unsigned host, std::uint32_t slot) override { next_.receive_posted(host, slot); }
    void posted(const PostedMessage& message, Time begins) override;
    void completed(std::size_t connection, unsigned side, const rc::Completion& completion, Time now) override;
    void seen(std::size_t connection, unsigned side, std::uint32_t number, Time now) override;
    void ended(std::size_t connection, std::uint32_t messages, Time now) override {
        next_.ended(connection, messages, now);
    }

  private:
    class Card final : public rc::RcObserver {
      public:
        Card(EventSink& sink, unsigned host, rc::RcObserver& next) : sink_(sink), host_(host), next_(next) {}
        void noted(rc::Qpn qp, rc::RcCount what) override;
        void reached(rc::Qpn qp, rc::Stage stage, std::uint32_t end, Time at) override {
            next_.reached(qp, stage, end, at);
        }
        void progressed(rc::Qpn qp, bool again, Time at) override { next_.progressed(qp, again, at); }
        void goes_back(rc::Qpn qp, Time not_before, Time at) override { next_.goes_back(qp, not_before, at); }

      private:
        EventSink& sink_;
        unsigned host_;
        rc::RcObserver& next_;
    };
    struct End {
        rc::Qpn qp;
        rc::Psn first;                      // that it sends
        std::uint32_t completed = 0;        // messages
        std::uint32_t received = 0;         // ... of the peer
        std::vector<std::uint32_t> takers;  // messages that take a receive WQE, in their order
    };

    /// A step of message `number` that `sender` sends; it happens at `at`.
    [[nodiscard]] MessageStep step_of(MessageStep::Step step, std::size_t connection, unsigned sender,
                                      std::uint32_t number) const;
    void tell(const MessageStep& step, std::size_t connection, unsigned at, Time when);

    EventSink& sink_;
    VerbsObserver& next_;
    const VerbsLayout& layout_;
    std::vector<std::array<End, 2>> ends_;  // by connection
    std::deque<Card> cards_;                // by host; they do not move
};

}  // namespace rnicsim
