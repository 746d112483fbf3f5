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

    // Inputs. What is put before a cycle is acted upon in it, in the order of the steps below.
    void put(FrameRef frame, const DrpHeader& header, Cycle due);
    void command(Cycle now, const Command& command);
    void data_fetched(Cycle now, std::uint64_t context, FrameRef frame);
    void data_transmitted(Cycle now, std::uint64_t context);

    // Steps of a cycle, called in this order by Rnic.
    void receive(Cycle now);  ///< frames from the wire, slots that have been drained
    void run_timers(Cycle now);
    void fetch(Cycle now);  ///< DMA reads for data frames, as far as windows and transmit buffer allow

    [[nodiscard]] Cycle next_due() const;                                         ///< frames and slots
    [[nodiscard]] Cycle next_deadline() const { return logic_.next_deadline(); }  ///< timers
    [[nodiscard]] bool idle() const;
    [[nodiscard]] const TransportLogic& logic() const { return logic_; }
    void set_observer(TransportObserver* observer) { logic_.set_observer(observer); }

  private:
    struct Received {
        FrameRef frame;
        DrpHeader header;
    };

    // TransportActions
    void send(const DrpHeader& header) override;
    void place(std::uint64_t address, std::uint32_t bytes) override;
    void keep(IndirectBuffer::SlotIndex slot) override;
    void drain(std::span<const IndirectBuffer::SlotIndex> slots) override;
    void discard(IndirectBuffer::SlotIndex slot) override;
    void notify(const Event& event) override;

    void left_transmit_path(Cycle now, std::uint64_t context);

    const TransportConfig config_;
    Peers peers_;
    TransportLogic logic_;
    Inbox<Received> received_;
    Inbox<IndirectBuffer::SlotIndex> draining_;  // slots that are free again at a cycle
    std::vector<FrameRef> stored_;               // payload of each slot of the indirect buffer
    std::vector<DmaPiece> pieces_;               // of the bulk DMA being built
    FrameRef in_hand_;                           // frame that the logic is deciding about
    Cycle now_;
    Cycle placed_;              // the DMA engine has taken the last frame placed
    Cycle control_due_;         // of the last control frame: they stay in order
    std::uint32_t tx_buffers_;  // free frame buffers between DMA and wire
};

}  // namespace rnicsim
