// SPDX-License-Identifier: Apache-2.0
// The way in: frames from the MAC, checked, handed to the decisions in their order; their payload goes to memory.
#pragma once

#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/rc/card_config.h"
#include "model/rnic/rc/context_lines.h"
#include "model/rnic/rc/dma_queue.h"
#include "model/rnic/rc/ethernet_port.h"
#include "model/rnic/rc/held_packets.h"
#include "model/rnic/rc/icrc_engine.h"
#include "model/rnic/rc/packet_blocks.h"
#include "model/rnic/rc/rc_transport.h"
#include "tlm/ethernet/frame_socket.h"
#include "tlm/inbox.h"
#include "tlm/ring.h"
#include "tlm/roce/packet.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace rnicsim::rc {

class PacketReceiver {
  public:
    PacketReceiver(const CardConfig& config, unsigned host, PcieEndpoint& pcie, const DmaBacklog& dma,
                   FramePool& frames, ContextLines& lines, RcTransport& transport, IcrcEngine& icrc,
                   PacketParser& parser, RcActions& actions);

    /// There is an Ethernet port, which gets frames with TCP; not owned.
    void attach(EthernetPort& ethernet) { ethernet_ = &ethernet; }
    /// A good frame from the MAC that is no pause frame. Returns when it can be decided about.
    Cycle put(FrameRef frame, Cycle due);
    /// From when on a frame of the card to itself may find room, if nothing else happens (V-Q7).
    [[nodiscard]] Cycle room_inside_at(Cycle now, std::uint32_t bytes);
    /// Such a frame. Precondition: there is room.
    void put_inside(FrameRef frame, Cycle due);
    /// Decides about the next packet, if its time has come. True: it did.
    bool run(Cycle now);
    /// Receive WQEs have come: packets that waited for them are tried again.
    void retry(Cycle now);
    /// What its QP's packets waited for is on the card.
    void line_came(Cycle now, Qpn qp) { go_on(now, qp); }
    /// RcActions: the payload of the packet in hand goes to memory.
    void place(Cycle now, const Placement& placement);
    /// When all that was placed so far is posted.
    [[nodiscard]] Cycle posted_until() const { return posted_until_; }

    [[nodiscard]] Cycle next_due() const;
    [[nodiscard]] bool idle() const { return waiting() == 0 && placed_.empty(); }

    /// Packets that wait for their decision.
    [[nodiscard]] std::size_t waiting() const {
        return coming_.size() + from_wire_.arrived.size() + inside_.arrived.size() + held_.size();
    }

    /// Each frame is in exactly one of them.
    struct Counters {
        std::uint64_t frames = 0;  ///< of the Ethernet port
        std::uint64_t packets = 0, other_destination = 0, overruns = 0, cnps = 0;
        std::array<std::uint64_t, roce::kErrorNames.size()> errors{};  ///< by roce::Error
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    struct Way;
    struct Arrived {
        FrameRef frame;
        roce::Packet packet;
        Way* way = nullptr;  // on which it has come
    };
    /// From the wire, or from the card itself; each has `rx_buffer` bytes of its own.
    struct Way {
        Inbox<Arrived> arrived;
        Inbox<std::uint32_t> leaving;  // bytes of the buffer, with the cycle in which they are free
        std::uint32_t used = 0;        // bytes of the buffer, also of those in `arrived` that are not here yet
        void free_placed(Cycle now) {
            while (leaving.ready(now)) used -= leaving.pop();
        }
    };
    [[nodiscard]] roce::Packet read(const Frame& frame);
    /// Counts what is wrong with it; true: nothing is.
    bool is_sound(const roce::Packet& packet);
    /// A frame that is no packet: is it one for the Ethernet port? If not it is counted.
    bool is_for_ethernet(const Frame& frame, const roce::Packet& packet);
    void take_ethernet(Cycle now, const Arrived& arrived);
    /// The one whose packet is next.
    [[nodiscard]] Way& next_way();
    void decide(Cycle now, Arrived&& packet);
    /// False: it has to wait.
    bool take(Cycle now, const Arrived& packet);
    void go_on(Cycle now, Qpn qp);
    /// Frames that were coming when there was no room, and are here: is there room now?
    void take_in(Cycle now);
    [[nodiscard]] bool has_room(const Way& way, std::uint32_t bytes) const {
        return way.used + bytes <= config_.rx_buffer;
    }

    const CardConfig config_;
    const unsigned host_;
    PcieEndpoint& pcie_;
    FramePool& frames_;
    const DmaBacklog& dma_;
    EthernetPort* ethernet_ = nullptr;
    ContextLines& lines_;
    RcTransport& transport_;
    IcrcEngine& icrc_;
    PacketParser& parser_;
    RcActions& actions_;
    // A link tells of a frame before it is here. One that finds room will find it; one that does not, and all behind
    // it, wait in `coming_` until they are here.
    Inbox<Arrived> coming_;
    Way from_wire_, inside_;
    HeldPackets<Arrived> held_;
    std::vector<Qpn> for_later_, again_;  // QPs whose first packet waits for a receive WQE; those that try again
    const Arrived* in_hand_ = nullptr;
    Inbox<Qpn> placed_;  // requests whose payload is posted
    Cycle posted_until_;
    bool placing_ = false;  // the packet in hand has payload on its way to memory
    Cycle free_at_;         // the next decision
    Counters counters_;
};

}  // namespace rnicsim::rc
