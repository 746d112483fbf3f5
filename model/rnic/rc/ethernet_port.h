// SPDX-License-Identifier: Apache-2.0
// The card as an Ethernet card: descriptors of long pieces of payload are read and cut into TCP frames, which the
// sender gives to the MAC in a lane of their own; TCP frames that come go to buffers of the host, which is told by an
// interrupt, a while after the first one.
#pragma once

#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/rc/counted_ring.h"
#include "model/rnic/rc/ethernet_rings.h"
#include "tlm/time/clock.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace rnicsim::rc {

/// A frame to send: its header, and where its payload is.
struct EthernetCut {
    std::array<std::uint8_t, TxDescriptor::kMostHeader> header{};
    std::size_t header_bytes = 0;
    std::array<TxDescriptor::Piece, 2> pieces;
    [[nodiscard]] std::uint32_t payload() const { return pieces[0].bytes + pieces[1].bytes; }
};

class EthernetPort final : private DmaClient {
  public:
    /// All buffers are there. `moderation`: from the first frame that the host has not been told of until its
    /// interrupt.
    EthernetPort(const EthernetRings& rings, Cycle moderation, PcieEndpoint& pcie, FramePool& frames)
        : rings_(rings), moderation_(moderation), pcie_(pcie), frames_(frames), buffers_(rings.rx_entries) {}

    // The host's registers. Counted on.
    /// There are descriptors up to this one.
    void doorbell(Cycle now, std::uint32_t producer);
    /// There are buffers up to this one.
    void add_buffers(std::uint32_t producer) { buffers_ = producer; }
    /// It has seen arrivals up to this one, and wants an interrupt for the next.
    void arm(Cycle now, std::uint32_t seen);

    [[nodiscard]] bool has_frame() const { return !ready_.empty(); }
    /// Precondition: has_frame().
    EthernetCut next(Cycle now);
    /// A frame goes to the host's next buffer; its bytes have been coming for `since`. Returns when its last byte has
    /// left on the link; nothing: there is no buffer.
    std::optional<Cycle> receive(Cycle now, const FrameRef& frame, Time since);

    /// The interrupt, if it is its time.
    void run(Cycle now);
    [[nodiscard]] Cycle next_due() const { return tells_at_; }
    [[nodiscard]] bool idle() const { return ready_.empty() && !fetching_ && told_ == fetched_ && tells_at_ == kNever; }

    struct Counters {
        std::uint64_t descriptors = 0, frames = 0, received = 0, no_buffer = 0, interrupts = 0;
        std::uint64_t bytes = 0, received_bytes = 0;  ///< of frames, without FCS
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    static constexpr std::uint32_t kFetch = 8;  ///< descriptors that one DMA reads
    static constexpr std::uint32_t kTell = 16;  ///< ... that are carried out before the host is told, if more follow
    void fetch(Cycle now);
    void tell(Cycle now);
    void read_done(Cycle now, std::uint64_t context, FrameRef frame) override;

    const EthernetRings rings_;
    const Cycle moderation_;
    PcieEndpoint& pcie_;
    FramePool& frames_;
    CountedRing<TxDescriptor> ready_;
    std::uint32_t offset_ = 0;  // of the first one's payload that is cut
    std::uint32_t told_ = 0, fetched_ = 0, carried_out_ = 0;
    bool fetching_ = false;
    std::uint32_t producer_ = 0;
    std::uint32_t buffers_ = 0, arrived_ = 0;
    bool armed_ = false;
    Cycle tells_at_ = kNever;  // the interrupt
    Counters counters_;
};

}  // namespace rnicsim::rc
