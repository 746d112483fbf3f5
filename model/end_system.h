// One end system: a host and its RNIC, joined by PCIe. An observer gets taps in between.
#pragma once

#include "model/config.h"
#include "model/host/drp_host.h"
#include "model/host/verbs/verbs_host.h"
#include "model/random.h"
#include "model/rnic/drp/drp_rnic.h"
#include "model/rnic/rc/rc_rnic.h"
#include "tlm/taps.h"

#include <memory>
#include <systemc>
#include <vector>

namespace rnicsim {

class EndSystem : public sc_core::sc_module {
  public:
    /// Where the wire comes out: the RNIC's own port, or that of the tap behind it.
    [[nodiscard]] FrameOut& wire_out() { return frame_tap_ ? frame_tap_->out : *wire_out_; }

  protected:
    explicit EndSystem(sc_core::sc_module_name name) : sc_module(name) {}
    /// `end`: the host. `observer`: not owned; nullptr = no taps.
    void join(Host& host, Rnic& rnic, unsigned end, Observer* observer);

  private:
    std::unique_ptr<PcieTap> pcie_tap_;
    std::unique_ptr<MemoryTap> memory_tap_;
    std::unique_ptr<FrameTap> frame_tap_;
    FrameOut* wire_out_ = nullptr;
};

class DrpEnd final : public EndSystem {
  public:
    struct Environment {
        unsigned end = 0;             ///< the host
        std::vector<unsigned> peers;  ///< hosts that it has transfers with, by Peer
        FaultSource& faults;
        std::uint64_t memory_bytes = 0;
        FramePool& frames;
        PciePool& transactions;
        const BlockFactory& blocks;
        Rnic::Ahead ahead;
        Observer* observer = nullptr;  ///< not owned; nullptr = no taps
    };

    DrpEnd(sc_core::sc_module_name name, const EndSystemConfig& config, const Environment& environment);

    DrpHost host;
    DrpRnic rnic;

    [[nodiscard]] bool idle() const { return host.idle() && rnic.idle(); }
};

class VerbsEnd final : public EndSystem {
  public:
    struct Environment {
        unsigned end = 0;  ///< the host
        RandomSource random;
        std::uint64_t memory_bytes = 0;
        FramePool& frames;
        PciePool& transactions;
        Rnic::Ahead ahead;
        Observer* observer = nullptr;  ///< not owned; nullptr = no taps
    };

    VerbsEnd(sc_core::sc_module_name name, const VerbsEndConfig& config, const Environment& environment);

    VerbsHost host;
    rc::RcRnic rnic;

    [[nodiscard]] bool idle() const { return host.idle() && rnic.idle(); }

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

}  // namespace rnicsim
