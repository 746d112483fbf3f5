// SPDX-License-Identifier: Apache-2.0
// Turns what taps, transport controllers and hosts report into logged events, and passes it on.
#pragma once

#include "model/config.h"
#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/drp/host/host_observer.h"
#include "model/rnic/drp/host/peer_hosts.h"
#include "model/rnic/drp/transport_engine.h"
#include "testbench/events/event_log.h"
#include "testbench/events/rc/stream_frames.h"
#include "tlm/pcie/pcie_direction.h"
#include "tlm/taps.h"

#include <array>
#include <deque>
#include <utility>
#include <vector>

namespace rnicsim {

class EventRecorder : public Observer {
  public:
    /// `next`: the observer that gets each report afterwards. Neither is owned.
    EventRecorder(EventSink& sink, Observer& next, const RunConfig& config) : sink_(sink), next_(next) {
        for (const ntb::Config& bridge : config.bridges)
            bridges_.push_back({bridge.between, {bridge.generation, bridge.lanes}});
        for (unsigned host = 0; host < config.hosts.size(); ++host)
            sides_.emplace_back(sink, host, is_drp(config, host) ? peers_of(config, host) : std::vector<unsigned>{});
    }

    /// Observers of the decisions of an end's transport controller, and of the steps of its host.
    [[nodiscard]] TransportObserver& decisions(unsigned end) { return sides_[end]; }
    [[nodiscard]] HostObserver& software(unsigned end) { return sides_[end]; }

    void memory_access(unsigned end, const tlm::tlm_generic_payload& transaction) override;
    void upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Time due) override;
    void frame_sent(unsigned end, const Frame& frame, Time left) override;
    /// No event: it is on no wire.
    void frame_looped(unsigned end, const Frame& frame, Time left) override { next_.frame_looped(end, frame, left); }
    void frame_carried(const Hop& hop, const Frame& frame, Time arrived) override;
    void frame_lost(const Hop& hop, const Frame& frame, Time left) override;
    void frame_damaged(const Hop& hop, const Frame& sent, const Frame& damaged, Time arrived) override;
    void frame_dropped(unsigned node, const Frame& frame, Time arrived) override;
    void bridge_sent(const Crossing& way, tlm::tlm_generic_payload& transaction, Time left) override;
    void bridge_crossed(const Crossing& way, tlm::tlm_generic_payload& transaction, Crossed how) override;
    void bridge_credits(const Crossing& way, std::uint32_t tlps, std::uint32_t bytes, Time taken, Time back) override;
    void bridge_link(unsigned bridge, bool up) override;

  private:
    class Side : public TransportObserver, public HostObserver {
      public:
        Side(EventSink& sink, unsigned end, std::vector<unsigned> peers)
            : sink_(sink), end_(end), peers_(std::move(peers)) {}
        void noted(TransportCount what, const TransferKey& of) override;
        void decided(const TransportDecision& decision) override;
        void overrun(const DrpHeader& header, Cycle arrived) override;
        void filled(std::uint32_t used) override;
        void step(HostStep what, const TransferKey& of, std::uint32_t value, Cycle since) override;

      private:
        [[nodiscard]] std::uint16_t host(Peer peer) const { return static_cast<std::uint16_t>(peers_[peer]); }

        EventSink& sink_;
        unsigned end_;
        const PeerHosts peers_;
        std::vector<LoggedEvent> results_;  // of the decision in hand: its cause goes first
    };

    void frame(WireFrame::Step step, const Hop& hop, const Frame& named, const Frame& bytes, Time at);

    EventSink& sink_;
    Observer& next_;
    StreamFrames streams_;
    struct OfBridge {
        std::array<unsigned, 2> hosts{};
        PcieDirection link;  // either
    };
    std::vector<OfBridge> bridges_;
    std::deque<Side> sides_;  // by host, in use where it has a DRP RNIC; they do not move
};

}  // namespace rnicsim
