// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/blocks.h"

#include "model/rnic/rc/persist/pm_module.h"

namespace rnicsim::rc {

std::unique_ptr<PersistEngine> CardBlocks::persist_module(const PersistConfig& config) const {
    return std::make_unique<PmModule>(PmConfig{config.outstanding, config.coalesce, config.capacity});
}

}  // namespace rnicsim::rc
