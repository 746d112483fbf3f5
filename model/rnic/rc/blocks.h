// SPDX-License-Identifier: Apache-2.0
// The blocks of a RoCEv2 card that can be simulated by a model or by Verilog, as the scenario chooses. Both give the
// same results, to the event.
#pragma once

#include "model/rnic/rc/config.h"
#include "model/rnic/rc/persist/persist_engine.h"

#include <memory>

namespace rnicsim::rc {

/// Makes the blocks that a configuration names. This class makes models only.
class CardBlocks {
  public:
    virtual ~CardBlocks() = default;
    [[nodiscard]] virtual std::unique_ptr<PersistEngine> persist_module(const PersistConfig& config) const;
};

}  // namespace rnicsim::rc
