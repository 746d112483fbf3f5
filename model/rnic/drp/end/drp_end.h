// SPDX-License-Identifier: Apache-2.0
// A host with a DRP RNIC.
#pragma once

#include "model/card_end.h"
#include "model/rnic/drp/blocks.h"
#include "model/rnic/drp/drp_rnic.h"
#include "model/rnic/drp/host/drp_host.h"
#include "model/system.h"

#include <cstdint>

namespace rnicsim {

class DrpEnd final : public CardEnd {
  public:
    /// `memory_bytes`: of its host. `blocks`: makes the blocks that the configuration names; not owned.
    DrpEnd(sc_core::sc_module_name name, const Environment& environment, std::uint64_t memory_bytes,
           const BlockFactory& blocks);

    DrpHost host;
    DrpRnic rnic;

    [[nodiscard]] FrameIn& wire_in() override { return rnic.gmac.wire_in; }
    [[nodiscard]] bool idle() const override { return host.idle() && rnic.idle(); }
    [[nodiscard]] std::uint64_t activations() const override { return host.activations() + rnic.activations(); }
};

/// Precondition: this host of the system has a DRP RNIC.
[[nodiscard]] inline DrpEnd& drp_end(System& system, unsigned host) { return static_cast<DrpEnd&>(system.end(host)); }
[[nodiscard]] inline const DrpEnd& drp_end(const System& system, unsigned host) {
    return static_cast<const DrpEnd&>(system.end(host));
}

}  // namespace rnicsim
