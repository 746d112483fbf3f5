// SPDX-License-Identifier: Apache-2.0
// The DRP RNIC: the block diagram, and the order in which its blocks act in a cycle.
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
#pragma once

#include "model/rnic/common/rnic.h"
#include "model/rnic/common/tx_arbiter.h"
#include "model/rnic/drp/config.h"
#include "model/rnic/drp/frame_filter.h"
#include "model/rnic/drp/host_interface.h"
#include "model/rnic/drp/peer_table.h"
#include "model/rnic/drp/transport_controller.h"

#include <memory>
#include <systemc>
#include <vector>

namespace rnicsim {

class DrpRnic final : public Rnic, private FilteredFrames {
  public:
    struct Identity {
        MacAddress own;
        std::vector<MacAddress> peers;  ///< by Peer: with whom it has transfers
        std::uint32_t receive_ring;
        const BlockFactory& blocks;
    };
    DrpRnic(sc_core::sc_module_name name, const RnicConfig& config, const Identity& identity, const Ahead& ahead,
            FramePool& frames, PciePool& transactions);

    /// No block has work pending.
    [[nodiscard]] bool idle() const;
    /// The run is over: Verilog that follows the core catches up.
    void finish(Cycle now);
    /// Cycles of Verilog that followed the core.
    [[nodiscard]] std::uint64_t clocked() const { return follower_ ? follower_->clocked() : 0; }

  private:
    TxArbiter tx_;
    const MacAddress own_;
    const PeerTable peers_;

  public:
    FrameFilter filter;
    HostInterface host_interface;
    TransportController transport;

  private:
    const std::unique_ptr<CoreObserver> follower_;

    void cycle(Cycle now) override;
    Due next_due(Cycle now) override;
    void register_write(Cycle now, std::uint64_t offset, std::span<const std::uint8_t> bytes) override;
    void transmit(Cycle now);

    void put_drp(FrameRef frame, const DrpHeader& header, Cycle due) override;
    void put_ordinary(FrameRef frame, Cycle due) override;
};

}  // namespace rnicsim
