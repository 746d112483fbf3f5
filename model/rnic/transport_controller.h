// The transport controller: carries out, at the right cycle, what TransportLogic decides.
#pragma once

#include "model/rnic/pcie_endpoint.h"
#include "model/rnic/transport_logic.h"
#include "model/rnic/tx_arbiter.h"
#include "tlm/ethernet_frame.h"
#include "tlm/inbox.h"

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

namespace rnicsim {

class HostInterface;

class TransportController : public sc_core::sc_module, private TransportActions {
  public:
    struct Peers {
        PcieEndpoint& pcie;
        HostInterface& host;
        TxArbiter& tx;
        FramePool& frames;
        MacAddress own;
        MacAddress peer;
    };

    TransportController(sc_core::sc_module_name name, const TransportConfig& config, const Peers& peers);

    // Inputs. Each waits for its decision.
    void put(FrameRef frame, const DrpHeader& header, Cycle due);
    void command(Cycle now, const Command& command) { commands_.push(command, now); }
    /// The last byte of a data frame leaves the MAC in the cycle before `end`.
    void data_transmitted(Cycle end, ConnectionTable::Index entry) { transmitted_.push(entry, end); }
    /// A data frame has all its payload: it goes to the transmit queue without a decision.
    void data_fetched(Cycle now, ConnectionTable::Index entry, FrameRef frame);

    /// Step of a cycle: the decision that ends in it, if one does.
    void run(Cycle now);
    /// Finds out what comes next. To be called after inputs; returns when a decision ends or a slot comes free.
    Cycle plan(Cycle now);

    [[nodiscard]] Cycle next_deadline() const { return logic_.next_deadline(); }  ///< timers
    [[nodiscard]] bool idle() const;
    [[nodiscard]] const TransportLogic& logic() const { return logic_; }
    void set_observer(TransportObserver* observer) { logic_.set_observer(observer); }

  private:
    struct Received {
        FrameRef frame;
        DrpHeader header;
    };
    /// What decisions are about. Of several that wait the first in this order is taken; timers are looked at when
    /// nothing else waits, one table entry a cycle.
    enum class Input : std::uint8_t { frame, command, transmitted, fetch, timer };
    struct Decision {
        Cycle begins = kNever;
        Input input = Input::frame;
        ConnectionTable::Index entry = 0;  ///< timer
    };

    [[nodiscard]] Decision next_decision(Cycle now) const;
    void decide();
    void fetch();

    // TransportActions
    void send(const DrpHeader& header) override;
    void place(std::uint64_t address, std::uint32_t bytes) override;
    void keep(IndirectBuffer::SlotIndex slot) override;
    void drain(std::span<const IndirectBuffer::SlotIndex> slots) override;
    void discard(IndirectBuffer::SlotIndex slot) override;
    void notify(const Event& event) override;

    const TransportConfig config_;
    Peers peers_;
    TransportLogic logic_;
    Inbox<Received> received_;
    Inbox<Command> commands_;
    Inbox<ConnectionTable::Index> transmitted_;
    Inbox<IndirectBuffer::SlotIndex> draining_;  // slots that are free again at a cycle
    std::vector<FrameRef> stored_;               // payload of each slot of the indirect buffer
    std::vector<DmaPiece> pieces_;               // of the bulk DMA being built
    FrameRef in_hand_;                           // frame that the logic is deciding about
    Cycle now_;
    Decision next_;             // planned
    bool has_data_ = false;     // since the last decision: only decisions change it
    Cycle free_;                // the last decision has ended
    Cycle busy_;                // all decisions until now: the scanner of the timers stands still meanwhile
    Cycle placed_;              // the DMA engine has taken the last frame placed
    Cycle control_due_;         // of the last control frame: they stay in order
    std::uint32_t tx_buffers_;  // free frame buffers between DMA and wire
};

}  // namespace rnicsim
