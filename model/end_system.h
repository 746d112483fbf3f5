// One end system: a host and its RNIC, joined by PCIe. An observer gets taps in between.
#pragma once

#include "model/config.h"
#include "model/host/host.h"
#include "model/rnic/rnic.h"
#include "tlm/taps.h"

#include <memory>
#include <systemc>
#include <vector>

namespace rnicsim {

class EndSystem : public sc_core::sc_module {
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

    EndSystem(sc_core::sc_module_name name, const EndSystemConfig& config, const Environment& environment);

    Host host;
    Rnic rnic;

    /// Where the wire comes out: the RNIC's own port, or that of the tap behind it.
    [[nodiscard]] FrameOut& wire_out() { return frame_tap_ ? frame_tap_->out : rnic.gmac.wire_out; }

    [[nodiscard]] bool idle() const { return host.idle() && rnic.idle(); }

  private:
    std::unique_ptr<PcieTap> pcie_tap_;
    std::unique_ptr<MemoryTap> memory_tap_;
    std::unique_ptr<FrameTap> frame_tap_;
};

}  // namespace rnicsim
