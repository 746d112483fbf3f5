// SPDX-License-Identifier: Apache-2.0
// The way out: asks the decisions for packets, reads their payload by DMA, and gives the frames to the MAC. Requests
// and answers each leave in the order in which they were asked for, and take turns on the wire; CNPs go before both.
// Frames of the Ethernet port, if there is one, take turns with these three together.
#pragma once

#include "model/network/pause_state.h"
#include "model/rnic/common/gmac.h"
#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/rc/card_config.h"
#include "model/rnic/rc/counted_ring.h"
#include "model/rnic/rc/ethernet_port.h"
#include "model/rnic/rc/icrc_engine.h"
#include "model/rnic/rc/loopback.h"
#include "model/rnic/rc/packet_blocks.h"
#include "model/rnic/rc/rc_transport.h"
#include "model/rnic/rc/work_queues.h"
#include "tlm/roce/packet.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace rnicsim::rc {

class PacketSender final : private DmaClient {
  public:
    /// `host`: whose card it is. A peer is the number of its host.
    PacketSender(const CardConfig& config, unsigned host, PcieEndpoint& pcie, FramePool& frames, RcTransport& transport,
                 const WorkQueues& queues, Loopback& loopback, IcrcEngine& icrc, PacketBuilder& builder,
                 RcActions& actions);

    /// There is an Ethernet port; not owned.
    void attach(EthernetPort& ethernet) { ethernet_ = &ethernet; }
    /// Asks for the next packet, if there is room and time for one.
    void decide(Cycle now);
    /// The next frame for the wire, or for the card itself, if the way out is free.
    void transmit(Cycle now, Gmac& gmac);
    /// A pause frame; `end`: of its last bit.
    void paused(const PauseFrame& pause, Time end) { pauses_.hears(pause, end); }
    /// Something new may have to be sent.
    void wanted() { asks_in_vain_ = false; }

    /// Of its own, and of the Ethernet port.
    [[nodiscard]] Cycle next_due(Cycle now);
    [[nodiscard]] bool idle() const { return waiting() == 0; }

    /// Packets and frames decided about that are not on the wire yet.
    [[nodiscard]] std::size_t waiting() const {
        std::size_t all = 0;
        for (const Slots& lane : lanes_) all += lane.size();
        return all;
    }

    struct Counters {
        std::uint64_t packets = 0, payload_packets = 0;
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    struct Slot {
        FrameRef frame;
        std::uint32_t reads = 0;  // of its payload, of which nothing is known yet
        Cycle ready;              // at the MAC, if there are none
        Cycle all_ready;          // the same of its last byte, if it has to be read
        std::uint32_t bytes = 0;  // of the buffer
        bool plain = false;       // without payload
        bool tells_sent = false;
        Qpn qp;
        std::uint8_t dscp = 0;
        bool inside = false;  // to the card itself
    };
    using Slots = CountedRing<Slot>;

    [[nodiscard]] roce::Route route_of(const Packet& packet, Lane lane, bool markable) const;
    /// When the first byte of a frame is on the wire that goes to the MAC now.
    [[nodiscard]] Time begins(Cycle now) const { return config_.clock.time(now + config_.gmac.tx_latency); }
    /// Is the class of its first frame paused for who begins at `now`?
    [[nodiscard]] bool paused(const Slots& lane, Time at) { return pauses_.paused(lane.front().dscp >> 3U, at); }
    /// When what holds up its first frame may end, if there is something; else not behind `now`.
    [[nodiscard]] Cycle opens_at(const Slots& lane, Cycle now);
    bool ask(Cycle now, Lane lane);
    bool ask_ethernet(Cycle now);
    bool send_ethernet(Cycle now, Gmac& gmac);
    Cycle read_comes(Cycle first, Cycle last, std::uint32_t bytes, std::uint64_t context) override;
    void read_done(Cycle /*now*/, std::uint64_t /*context*/, FrameRef /*frame*/) override {}
    /// What `decides_at_` has to be, with room for one more frame. To be called when one of its parts has changed.
    void plan() {
        const Cycle room = used_ + leaving_ > most_used_ ? left_at_ : Cycle{};
        decides_at_ = used_ > most_used_ ? kNever : std::max(rested_at_, room);
    }
    /// From when on the wire, once it has begun, never waits for a payload's bytes behind `offset`.
    [[nodiscard]] Cycle streams_from(Cycle first, Cycle last, std::uint32_t offset, std::uint32_t bytes) const;
    [[nodiscard]] static bool ready(const Slots& lane, Cycle now) {
        return !lane.empty() && lane.front().reads == 0 && lane.front().ready <= now;
    }

    /// Answers without payload that wait for the wire; from so many on the newest one of a QP waits at its QP, where a
    /// later one takes its place (V-S4).
    static constexpr std::uint32_t kAcksAhead = 2;
    static constexpr std::size_t kEthernet = kLanes;  // the lane behind those of RoCE
    static constexpr std::uint8_t kEthernetDscp = 0;

    const CardConfig config_;
    const unsigned host_;
    const std::uint32_t most_used_;  // bytes of the buffer, and still there is room for the longest frame
    PcieEndpoint& pcie_;
    FramePool& frames_;
    RcTransport& transport_;
    const WorkQueues& queues_;
    Loopback& loopback_;
    IcrcEngine& icrc_;
    PacketBuilder& builder_;
    RcActions& actions_;
    PauseState pauses_;
    EthernetPort* ethernet_ = nullptr;
    std::array<Slots, kLanes + 1> lanes_;  // by Lane, and of the Ethernet port
    std::uint32_t used_ = 0;               // bytes of the buffer, but for those of the frame that went to the MAC last:
    std::uint32_t leaving_ = 0;            // they are used as well, until its last byte could follow:
    Cycle left_at_;                        // then
    std::uint32_t acks_ = 0;
    Cycle rested_at_;   // `packet_interval` behind the last decision
    Cycle decides_at_;  // the next one; kNever: not before one more frame has left
    Cycle wire_free_;
    bool answer_next_ = true, request_had_turn_ = false;
    bool ethernet_asked_ = false, ethernet_sent_ = false;  // it had the last turn
    bool asks_in_vain_ = false;  // the decisions had nothing to send, and nothing has happened since
    Counters counters_;
};

}  // namespace rnicsim::rc
