// SPDX-License-Identifier: Apache-2.0
// A host with a RoCEv2 RNIC.
#pragma once

#include "model/card_end.h"
#include "model/host/verbs/verbs_host.h"
#include "model/rnic/rc/rc_rnic.h"
#include "model/system.h"

#include <cstdint>
#include <memory>

namespace rnicsim {

class VerbsEnd final : public CardEnd {
  public:
    /// `memory_bytes`: of its host. `blocks`: makes those of its card.
    VerbsEnd(sc_core::sc_module_name name, const Environment& environment, std::uint64_t memory_bytes,
             const rc::CardBlocks& blocks);

    VerbsHost host;
    rc::RcRnic rnic;

    void join_bridge(ntb::Side& side, unsigned number) override;
    [[nodiscard]] FrameIn& wire_in() override { return rnic.gmac.wire_in; }
    [[nodiscard]] bool idle() const override { return host.idle() && rnic.idle(); }
    [[nodiscard]] std::uint64_t activations() const override { return host.activations() + rnic.activations(); }

  private:
    class LoopbackTap final : public rc::LoopbackObserver {
      public:
        LoopbackTap(unsigned end, Observer& observer) : end_(end), observer_(observer) {}
        void frame_looped(const Frame& frame, Time left) override { observer_.frame_looped(end_, frame, left); }

      private:
        unsigned end_;
        Observer& observer_;
    };
    std::unique_ptr<LoopbackTap> loopback_tap_;
};

/// Precondition: this host of the system has a RoCEv2 RNIC.
[[nodiscard]] inline VerbsEnd& verbs_end(System& system, unsigned host) {
    return static_cast<VerbsEnd&>(system.end(host));
}
[[nodiscard]] inline const VerbsEnd& verbs_end(const System& system, unsigned host) {
    return static_cast<const VerbsEnd&>(system.end(host));
}

}  // namespace rnicsim
