// SPDX-License-Identifier: Apache-2.0
// The transport controller: carries out its engine's decisions at the right cycle.
#pragma once

#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/common/tx_arbiter.h"
#include "model/rnic/drp/core_observer.h"
#include "model/rnic/drp/host_interface.h"
#include "model/rnic/drp/indirect_buffer.h"
#include "model/rnic/drp/peer_table.h"
#include "model/rnic/drp/transport_engine.h"
#include "tlm/ethernet/frame.h"
#include "tlm/inbox.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

namespace rnicsim {

class TransportController : public sc_core::sc_module,
                            public CommandTarget,
                            private DmaClient,
                            private TransportActions,
                            private TransportObserver {
  public:
    struct Peers {
        PcieEndpoint& pcie;
        HostInterface& host;
        TxArbiter& tx;
        FramePool& frames;
        const MacAddress& own;
        const PeerTable& table;
    };

    TransportController(sc_core::sc_module_name name, const TransportConfig& config, const Peers& peers,
                        std::unique_ptr<TransportEngine> engine, std::unique_ptr<IndirectBufferEngine> buffer);

    // Inputs. Each waits for its decision.
    void put(FrameRef frame, const DrpHeader& header, Cycle due);
    void command(Cycle now, const Command& command) override;
    /// The last byte of a data frame leaves the MAC in the cycle before `end`.
    void data_transmitted(Cycle end, ConnectionTable::Index entry) { transmitted_.push(entry, end); }

    /// One cycle: carries out the decision that ends in it, if any.
    void run(Cycle now);
    /// Plans the next decision. To be called after inputs; returns when a decision ends or a slot is freed.
    Cycle plan(Cycle now);

    /// The next deadline of a timer, as found by plan().
    [[nodiscard]] Cycle next_deadline() const { return deadline_; }
    [[nodiscard]] bool idle() const;
    [[nodiscard]] const TransportEngine& engine() const { return *engine_; }
    [[nodiscard]] const IndirectBufferEngine& buffer() const { return *buffer_; }
    void set_core_observer(CoreObserver* observer) { core_observer_ = observer; }
    /// Not owned; nullptr = none.
    void set_observer(TransportObserver* observer) { observer_ = observer; }

    struct Counters {
        std::uint64_t drained_frames = 0;
        std::uint64_t rx_overruns = 0;        ///< data frames that found the receive buffer full
        std::uint32_t buffer_high_water = 0;  ///< slots
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

    /// Fill of all buffers and queues. For a diagnosis.
    struct Fill {
        std::uint32_t slots = 0;  ///< that the indirect buffer has
        std::uint32_t tx_buffers = 0, all_tx_buffers = 0;
        std::size_t frames = 0, commands = 0, transmitted = 0;  ///< waiting for their decision
        std::size_t draining = 0;                               ///< slots in flight to memory
    };
    [[nodiscard]] Fill fill() const;

  private:
    struct Received {
        FrameRef frame;
        DrpHeader header;
    };
    struct Decision {
        Cycle begins = kNever;
        TransportInput input = TransportInput::frame;
        ConnectionTable::Index entry = 0;  ///< timer
    };

    void admit();
    [[nodiscard]] Decision next_decision(Cycle now) const;
    void decide();
    void free_drained(Cycle until);
    void fetch();
    void report(const TransferKey& of, const DrpHeader* header, const Command* command);
    void report_fill();

    // DmaClient: a data frame has all its payload and goes to the transmit queue without a decision. `context`: its
    // entry.
    void read_done(Cycle now, std::uint64_t context, FrameRef frame) override;
    [[nodiscard]] Cycle wanted_at(Cycle due) const override { return std::max(due, peers_.tx.free_at()); }
    [[nodiscard]] bool can_wait() const override { return true; }

    // TransportObserver
    void noted(TransportCount what, const TransferKey& of) override;

    // TransportActions
    void send(const DrpHeader& header) override;
    void place(std::uint64_t address, std::uint32_t bytes) override;
    [[nodiscard]] bool buffer_full() const override { return buffer_was_full_; }
    [[nodiscard]] std::uint32_t buffered_of(Peer peer) const override { return buffer_->used_by(peer); }
    void keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes) override;
    void drain(const TransferKey& of) override;
    void drop(const TransferKey& of) override { buffer_->drop(of); }
    void notify(const Event& event) override;

    [[nodiscard]] PcieEndpoint::Written write(std::span<const DmaPiece> pieces, DmaSource source);

    const TransportConfig config_;
    Peers peers_;
    CoreObserver* core_observer_ = nullptr;  // not owned
    TransportObserver* observer_ = nullptr;  // not owned
    const std::unique_ptr<TransportEngine> engine_;
    const std::unique_ptr<IndirectBufferEngine> buffer_;
    Inbox<Received> received_;
    Inbox<Command> commands_;
    Inbox<ConnectionTable::Index> transmitted_;
    Inbox<IndirectBufferEngine::SlotIndex> draining_;  // slots, with the cycle in which they are freed
    std::vector<DmaPiece> pieces_;                     // of the bulk DMA being built
    FrameRef in_hand_;                                 // frame of the present decision
    bool buffer_was_full_ = false;                     // when the decision began
    std::uint64_t notes_ = 0;                          // of the present decision: bits of TransportCount
    TransferKey noted_;                                // ... and its transfer
    std::uint32_t reported_fill_ = 0;                  // slots last reported to the observer
    Cycle now_;
    Cycle deadline_ = kNever;
    Decision next_;              // planned
    bool has_data_ = false;      // as of the last decision: only decisions change it
    Cycle free_;                 // the last decision has ended
    Cycle busy_;                 // sum of all decisions: the scanner of the timers stands still during them
    Cycle placed_;               // the DMA engine has taken the last frame placed
    Cycle control_due_;          // of the last control frame: they stay in order
    std::uint32_t rx_buffers_;   // data frames between wire and DMA
    std::vector<Cycle> staged_;  // of frames decided about: the last cycle in which each is in the receive buffer
    bool admitted_ = false;      // the first of received_ has room
    Cycle in_hand_until_;        // the same for in_hand_
    std::uint32_t tx_buffers_;   // free frame buffers between DMA and wire
    Counters counters_;
};

}  // namespace rnicsim
