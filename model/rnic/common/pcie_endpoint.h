// SPDX-License-Identifier: Apache-2.0
// PCIe endpoint of the RNIC: DMA engine (posted writes, reads with split completions, tags), MSI, registers in BAR 0.
#pragma once

#include "model/rnic/common/config.h"
#include "model/rnic/common/core_border.h"
#include "model/rnic/common/dma_engine.h"
#include "tlm/inbox.h"
#include "tlm/pcie/address_map.h"
#include "tlm/pcie/pcie_direction.h"
#include "tlm/pcie/pcie_socket.h"
#include "tlm/pcie/posted_buffer.h"
#include "tlm/wakeup.h"

#include <cstdint>
#include <memory>
#include <span>
#include <systemc>
#include <variant>
#include <vector>

namespace rnicsim {

/// A block that requests DMA reads.
class DmaClient {
  public:
    virtual ~DmaClient() = default;
    /// All bytes of a read are at their destination. `context`, `frame`: as given with the request.
    virtual void read_done(Cycle now, std::uint64_t context, FrameRef frame) = 0;
    /// Told ahead of read_done(): `bytes` of a read come from `first` on, the last of them at `last`, without a gap;
    /// they are in their place already. Returns when the client wants to act on it, kNever: not before read_done().
    virtual Cycle read_comes(Cycle /*first*/, Cycle /*last*/, std::uint32_t /*bytes*/, std::uint64_t /*context*/) {
        return kNever;
    }
    /// The latest time to report a read that is complete at `due`; `now` is then still `due`. It may change until then.
    [[nodiscard]] virtual Cycle wanted_at(Cycle due) const { return due; }
    /// Is that ever later than `due`?
    [[nodiscard]] virtual bool can_wait() const { return false; }
};

/// The registers of BAR 0.
class RegisterTarget {
  public:
    virtual ~RegisterTarget() = default;
    /// `offset`: in BAR 0. The bytes are valid during the call.
    virtual void register_write(Cycle now, std::uint64_t offset, std::span<const std::uint8_t> bytes) = 0;
    /// A load from there, answered in the cycle in which it comes. False: nothing can be read there, and the host gets
    /// all ones.
    virtual bool register_read(Cycle /*now*/, std::uint64_t /*offset*/, std::span<std::uint8_t> /*into*/) {
        return false;
    }
};

/// One piece of a DMA write: `data` must stay valid while `frame` is held, or for the whole run if there is none.
struct DmaPiece {
    std::uint64_t address = 0;
    const std::uint8_t* data = nullptr;
    std::uint32_t bytes = 0;
    FrameRef frame;
};

class PcieEndpoint : public sc_core::sc_module {
  public:
    PcieEndpoint(sc_core::sc_module_name name, const PcieConfig& config, std::unique_ptr<DmaEngine> engine,
                 PciePool& pool, RegisterTarget& registers, ClockedWakeup& wakeup);

    PcieInitiatorSocket<PcieEndpoint> upstream{"upstream"};
    PcieTargetSocket<PcieEndpoint> downstream{"downstream"};

    struct Written {
        Cycle posted;  ///< the engine has taken the request: its TLPs are in the posted-write path
        Cycle left;    ///< the cycle after its last byte has left on the link
    };
    /// One DMA write request of one or more pieces, with the engine's overhead once. It reaches the engine at `at`,
    /// not before the previous request.
    Written write(Cycle at, std::span<const DmaPiece> pieces, DmaSource source);
    Written write(Cycle at, std::span<const DmaPiece> pieces, DmaSource source, TlpAttributes attributes);
    /// Of bytes that have been coming for `since`: by now all but the last TLP have gone to the link, as far as that
    /// was fast enough and free.
    Written write_through(Cycle at, Time since, std::span<const DmaPiece> pieces, DmaSource source,
                          TlpAttributes attributes);

    /// Destination of a DMA read, and who is called at its end. `into` must stay valid until read_done().
    struct Reader {
        DmaClient& client;
        std::uint8_t* into;
        std::uint64_t context;
        FrameRef frame;
    };
    /// One DMA read request. Waits, in order, until enough tags are free.
    void read(Cycle at, std::uint64_t address, std::uint32_t bytes, DmaSource source, Reader reader);
    void read(Cycle at, std::uint64_t address, std::uint32_t bytes, DmaSource source, Reader reader,
              TlpAttributes attributes);

    /// Message-signalled interrupt, in order behind earlier writes.
    void interrupt(Cycle at, std::uint32_t vector = 0, TlpAttributes attributes = {});

    /// Where the host has put BAR 0; kBar0 if nothing is said.
    void place_bar0(std::uint64_t base) { bar0_ = base; }

    /// Not owned; nullptr = none.
    void set_observer(DmaObserver* observer) { observer_ = observer; }
    /// Of the host: a full one stops the link. The same.
    void set_posted_buffer(PostedBuffer* buffer) { buffer_ = buffer; }

    /// Handles completions and doorbells that are due, each with its own time; calls the clients.
    void deliver(Cycle now) {
        if (from_host_.ready(now)) act(now);
    }
    /// The latest time to call deliver().
    [[nodiscard]] Cycle next_due() const;

    struct Counters {
        std::uint64_t write_requests = 0, write_tlps = 0, write_bytes = 0, read_requests = 0, read_tlps = 0,
                      read_bytes = 0, interrupts = 0, doorbells = 0, loads = 0, tag_stalls = 0;
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }
    [[nodiscard]] std::uint32_t tags_in_use() const { return tags_in_use_; }
    [[nodiscard]] bool idle() const { return tags_in_use_ == 0 && waiting_.empty() && from_host_.empty(); }

  private:
    tlm::tlm_sync_enum from_host(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    /// The latest time to handle what has come from the host.
    [[nodiscard]] Cycle wanted_at(const TlpExtension& extension, Cycle due) const;
    void act(Cycle now);
    void issue_reads(Cycle now);
    Cycle issue(Cycle at, DmaEngine::Direction direction, DmaSource source);
    /// The time on the link of all but the last TLP of what is in `pieces_`.
    [[nodiscard]] Time before_last() const;
    void send(tlm::tlm_generic_payload& transaction, std::uint32_t link_bytes);
    void send_posted(tlm::tlm_generic_payload& transaction, TlpExtension& extension);
    void answer(Cycle at, tlm::tlm_generic_payload& load, TlpExtension& extension);
    [[nodiscard]] Time arrival() const;
    void hand_over(tlm::tlm_generic_payload& transaction, Time arrives);

    const PcieConfig config_;
    PciePool& pool_;
    RegisterTarget& registers_;
    DmaObserver* observer_ = nullptr;  // not owned
    PostedBuffer* buffer_ = nullptr;   // not owned
    ClockedWakeup& wakeup_;
    PcieDirection direction_;
    const std::unique_ptr<DmaEngine> engine_;
    std::vector<DmaEngine::Piece> pieces_;  // of the request in hand
    TlpAttributes attributes_;              // the same
    Time since_{};                          // the same: it has been coming for so long
    std::uint32_t tags_in_use_ = 0;
    std::uint64_t bar0_ = kBar0;
    struct WaitingRead {
        tlm::tlm_generic_payload* transaction = nullptr;
        Cycle asked;
        DmaSource source{};
    };

    Inbox<WaitingRead> waiting_;  // reads without tags
    struct FromHost {
        tlm::tlm_generic_payload* transaction = nullptr;
        TlpExtension* extension = nullptr;  // its own
    };
    Inbox<FromHost> from_host_;     // completions and doorbells
    Inbox<std::monostate> prompt_;  // one for each of them that cannot wait
    Counters counters_;
};

}  // namespace rnicsim
