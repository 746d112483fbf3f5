// The RNIC: the block diagram, and the order in which its blocks act in a cycle.
//
//          host  <== PCIe ==>  pcie  <-->  host_interface  ------------ ordinary frames ----------+
//                               ^               ^                                                 |
//                               | DMA           | events, commands                                v
//                               v               v                                             tx_arbiter
//                              transport_controller  -------- control frames, data frames ------> |
//                               (connection table, indirect buffer)                               v
//                               ^                                                                gmac ==> wire
//                               +---- DRP ----  frame_filter  <-----------------------------------  <== wire
//                                                    +---- others ---> host_interface
//
// One process drives all blocks, in the fixed order of cycle(), and only in cycles in which something is due. Input
// from another process was handed over before the cycle began (frame_socket.h), so nothing depends on the order in
// which the kernel runs processes.
#pragma once

#include "model/rnic/config.h"
#include "model/rnic/frame_filter.h"
#include "model/rnic/gmac.h"
#include "model/rnic/host_interface.h"
#include "model/rnic/pcie_endpoint.h"
#include "model/rnic/peer_table.h"
#include "model/rnic/transport_controller.h"
#include "model/rnic/tx_arbiter.h"
#include "tlm/horizon.h"
#include "tlm/wakeup.h"

#include <memory>
#include <systemc>
#include <vector>

namespace rnicsim {

class Rnic : public sc_core::sc_module, private FilteredFrames {
  public:
    struct Identity {
        MacAddress own;
        std::vector<MacAddress> peers;  ///< by Peer: with whom it has transfers
        std::uint32_t receive_ring;
        const BlockFactory& blocks;
    };
    /// How far it may run ahead of the kernel's time. `lookahead`: the least time from a cycle to the first one in
    /// which another module can reach the RNIC; 1 cycle: not at all. The horizon is not owned.
    struct Ahead {
        Cycle lookahead{1};
        const Horizon& horizon;
    };

    Rnic(sc_core::sc_module_name name, const RnicConfig& config, const Identity& identity, const Ahead& ahead,
         FramePool& frames, PciePool& transactions);

    /// The cycle of its last step, which may be ahead of the kernel's time.
    [[nodiscard]] Cycle now() const { return now_; }

    /// No block has work pending.
    [[nodiscard]] bool idle() const;
    /// The run is over: Verilog that follows the core catches up.
    void finish(Cycle now);
    /// Cycles of Verilog that followed the core.
    [[nodiscard]] std::uint64_t clocked() const { return follower_ ? follower_->clocked() : 0; }
    [[nodiscard]] std::uint64_t activations() const { return wakeup_.activations(); }

  private:
    const Ahead ahead_;
    Cycle now_{-1};
    ClockedWakeup wakeup_;  // work
    ClockedWakeup timers_;  // protocol timers: far away and mostly moved on. In an event of their own, or the kernel's
                            // queue would fill with notifications cancelled by nearer work.
    TxArbiter tx_;
    const MacAddress own_;
    const PeerTable peers_;

  public:
    PcieEndpoint pcie;
    Gmac gmac;
    FrameFilter filter;
    HostInterface host_interface;
    TransportController transport;

  private:
    const std::unique_ptr<CoreObserver> follower_;

    void wake();
    void cycle();
    void transmit();
    void sleep(Cycle work, Cycle deadline);
    [[nodiscard]] Cycle next_work();
    [[nodiscard]] Cycle next_deadline() const;

    void put_drp(FrameRef frame, const DrpHeader& header, Cycle due) override;
    void put_ordinary(FrameRef frame, Cycle due) override;
};

}  // namespace rnicsim
