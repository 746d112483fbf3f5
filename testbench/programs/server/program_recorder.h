// SPDX-License-Identifier: Apache-2.0
// Turns what programs call, what becomes of their messages, and what their cards count, into logged events.
#pragma once

#include "model/rnic/rc/rc_observer.h"
#include "testbench/events/event_log.h"
#include "testbench/programs/server/call_observer.h"

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace rnicsim::programs {

class ProgramRecorder final : public CallObserver {
  public:
    /// `sink`: not owned.
    ProgramRecorder(EventSink& sink, unsigned hosts);

    /// Hears what the card of this host counts.
    [[nodiscard]] rc::RcObserver& card(unsigned host) { return cards_.at(host); }

    void begins(const Program& program) override;
    void told(const Program& program, const Asked& asked, const Posts& posts, Time ends) override;
    void answered(const Program& program, const Asked& asked, int error, std::span<const std::byte> answer,
                  Time ends) override;
    void registered(const Program& /*program*/, std::uint32_t /*key*/, const Registration& /*as*/) override {}
    void modified(const Program& program, const rc::Qp& qp, rc::QpState before) override;
    void posted(const Program& program, const rc::Qp& qp, std::uint32_t index, const rc::SendWqe& wqe) override;
    void taken(const Program& program, const rc::Completion& completion, Time now) override;

  private:
    class Card final : public rc::RcObserver {
      public:
        Card(EventSink& sink, unsigned host) : sink_(sink), host_(host) {}
        void noted(rc::Qpn qp, rc::RcCount what) override;
        void reached(rc::Qpn /*qp*/, rc::Stage /*stage*/, std::uint32_t /*end*/, Time /*at*/) override {}
        void progressed(rc::Qpn /*qp*/, bool /*again*/, Time /*at*/) override {}
        void goes_back(rc::Qpn /*qp*/, Time /*not_before*/, Time /*at*/) override {}

      private:
        EventSink& sink_;
        unsigned host_;
    };
    /// Of a QP that knows its peer; one that only receives never gets further.
    struct Queue {
        MessageStep next;                  // the message that is posted next, but for what it is
        std::uint32_t completed = 0;       // messages
        std::deque<std::uint32_t> takers;  // messages that take a receive WQE of the peer, and have not arrived
    };

    [[nodiscard]] Queue* find(unsigned host, rc::Qpn qp);
    void tell(unsigned host, Time begins, Time ends, const decltype(LoggedEvent::what)& what);
    void tell(const MessageStep& message, MessageStep::Step step, unsigned host, Time at);

    EventSink& sink_;
    std::deque<Card> cards_;                                      // by host; they do not move
    std::map<std::pair<unsigned, std::uint32_t>, Queue> queues_;  // by host and QP
    Time called_;                                                 // when the call that posts did
};

}  // namespace rnicsim::programs
