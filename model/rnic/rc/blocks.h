// SPDX-License-Identifier: Apache-2.0
// The blocks of a RoCEv2 card that can be simulated by a model or by Verilog, as the scenario chooses. Both give the
// same results, to the event.
#pragma once

#include "model/rnic/rc/card_config.h"
#include "model/rnic/rc/icrc_engine.h"
#include "model/rnic/rc/packet_blocks.h"
#include "model/rnic/rc/persist/persist_engine.h"
#include "model/rnic/rc/psn_engine.h"
#include "model/rnic/rc/request_check_engine.h"

#include <memory>

namespace rnicsim::rc {

/// Of a card's persist module.
inline PmConfig pm_config(const CardConfig& config) {
    const PersistConfig& persist = config.transport.persist;
    return {persist.outstanding, persist.coalesce, persist.capacity};
}

/// Makes the blocks that a configuration names. This class makes models only.
class CardBlocks {
  public:
    virtual ~CardBlocks() = default;
    [[nodiscard]] virtual std::unique_ptr<PersistEngine> persist_module(const CardConfig& config) const;
    [[nodiscard]] virtual std::unique_ptr<IcrcEngine> icrc(const CardConfig& config) const;
    [[nodiscard]] virtual std::unique_ptr<RequestCheckEngine> request_check(const CardConfig& config) const;
    [[nodiscard]] virtual std::unique_ptr<PsnEngine> responder_psn(const CardConfig& config) const;
    [[nodiscard]] virtual std::unique_ptr<PacketParser> packet_parser(const CardConfig& config) const;
    [[nodiscard]] virtual std::unique_ptr<PacketBuilder> packet_builder(const CardConfig& config) const;
};

}  // namespace rnicsim::rc
