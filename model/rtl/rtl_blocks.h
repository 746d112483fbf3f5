// SPDX-License-Identifier: Apache-2.0
// Makes blocks from Verilog where the configuration names one, and the models elsewhere.
#pragma once

#include "model/rnic/drp/blocks.h"
#include "model/rnic/rc/blocks.h"
#include "model/rtl/block_place.h"

#include <stdexcept>
#include <utility>

namespace rnicsim {

class RtlBlocks : public BlockFactory, public rc::CardBlocks {
  public:
    /// For the blocks of one end system.
    explicit RtlBlocks(BlockPlace place = {}) : place_(std::move(place)) {}

    [[nodiscard]] std::unique_ptr<MacEngine> mac(const RnicConfig& config) const override;
    [[nodiscard]] std::unique_ptr<FilterEngine> filter(const RnicConfig& config, const MacAddress& own) const override;
    [[nodiscard]] std::unique_ptr<CoreObserver> core(const RnicConfig& config, const MacAddress& own,
                                                     const MacAddress& peer) const override;
    [[nodiscard]] std::unique_ptr<TransportEngine> transport(const RnicConfig& config) const override;
    [[nodiscard]] std::unique_ptr<IndirectBufferEngine> indirect_buffer(const RnicConfig& config) const override;
    [[nodiscard]] std::unique_ptr<DmaEngine> dma_engine(const RnicConfig& config) const override;
    [[nodiscard]] std::unique_ptr<rc::PersistEngine> persist_module(const rc::CardConfig& config) const override;
    [[nodiscard]] std::unique_ptr<rc::IcrcEngine> icrc(const rc::CardConfig& config) const override;
    [[nodiscard]] std::unique_ptr<rc::RequestCheckEngine> request_check(const rc::CardConfig& config) const override;
    [[nodiscard]] std::unique_ptr<rc::PsnEngine> responder_psn(const rc::CardConfig& config) const override;
    [[nodiscard]] std::unique_ptr<rc::PacketParser> packet_parser(const rc::CardConfig& config) const override;
    [[nodiscard]] std::unique_ptr<rc::PacketBuilder> packet_builder(const rc::CardConfig& config) const override;

  private:
    BlockPlace place_;
};

/// What Verilog does that no hardware of its kind may: it would hang, or talk nonsense to its neighbours.
struct RtlFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace rnicsim
