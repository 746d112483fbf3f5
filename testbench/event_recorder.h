// Turns what taps, transport controllers and hosts report into logged events, and passes it on.
#pragma once

#include "model/host/host_observer.h"
#include "model/rnic/transport_engine.h"
#include "testbench/event_log.h"
#include "tlm/taps.h"

#include <deque>
#include <vector>

namespace rnicsim {

class EventRecorder : public Observer {
  public:
    /// `next`: the observer that gets each report afterwards. Neither is owned.
    EventRecorder(EventSink& sink, Observer& next, std::size_t hosts) : sink_(sink), next_(next) {
        for (unsigned end = 0; end < hosts; ++end) sides_.emplace_back(sink, end);
    }

    /// Observers of the decisions of an end's transport controller, and of the steps of its host.
    [[nodiscard]] TransportObserver& decisions(unsigned end) { return sides_[end]; }
    [[nodiscard]] HostObserver& software(unsigned end) { return sides_[end]; }

    void memory_access(unsigned end, const tlm::tlm_generic_payload& transaction) override;
    void upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Time due) override;
    void frame_sent(unsigned end, const Frame& frame, Time left) override;
    void frame_carried(unsigned end, const Frame& frame, Time arrived) override;
    void frame_lost(unsigned end, const Frame& frame, Time left) override;
    void frame_damaged(unsigned end, const Frame& sent, const Frame& damaged, Time arrived) override;

  private:
    class Side : public TransportObserver, public HostObserver {
      public:
        Side(EventSink& sink, unsigned end) : sink_(sink), end_(end) {}
        void noted(TransportCount what, Role role, Tid tid) override;
        void decided(const TransportDecision& decision) override;
        void overrun(const DrpHeader& header, Cycle arrived) override;
        void filled(std::uint32_t used) override;
        void step(HostStep what, bool own, Tid tid, std::uint32_t value, Cycle since) override;

      private:
        EventSink& sink_;
        unsigned end_;
        std::vector<LoggedEvent> results_;  // of the decision in hand: its cause goes first
    };

    void frame(WireFrame::Step step, unsigned end, const Frame& named, const Frame& bytes, Time at);

    EventSink& sink_;
    Observer& next_;
    std::deque<Side> sides_;  // by host; they do not move
};

}  // namespace rnicsim
