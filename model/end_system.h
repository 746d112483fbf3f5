// SPDX-License-Identifier: Apache-2.0
// One end system as the network sees it: it sends and takes frames. What is inside is its personality's affair.
#pragma once

#include "model/config.h"
#include "model/network/link/frame_namer.h"
#include "tlm/ethernet/frame_socket.h"
#include "tlm/horizon.h"
#include "tlm/pcie/pcie_tlp.h"
#include "tlm/taps.h"

#include <cstdint>
#include <memory>
#include <systemc>

namespace rnicsim {

class FaultSource;
class System;
namespace ntb {
class Side;
}  // namespace ntb

class EndSystem : public sc_core::sc_module {
  public:
    /// Where it is built in. Nothing is owned.
    struct Environment {
        unsigned host = 0;  ///< its number
        const RunConfig& run;
        FaultSource& faults;
        FramePool& frames;
        PciePool& transactions;
        const Horizon& horizon;
        MacTiming link;                ///< of the link that it has
        Observer* observer = nullptr;  ///< nullptr = no taps
        [[nodiscard]] const char* name() const { return run.names[host].c_str(); }
    };

    [[nodiscard]] virtual FrameOut& wire_out() = 0;
    [[nodiscard]] virtual FrameIn& wire_in() = 0;
    [[nodiscard]] virtual bool idle() const = 0;
    /// Its n-th bridge: the side that is below a root port of its own. Before the simulation starts; only of who has
    /// such ports.
    virtual void join_bridge(ntb::Side& side, unsigned number);
    /// How often the kernel has run its processes.
    [[nodiscard]] virtual std::uint64_t activations() const = 0;

  protected:
    explicit EndSystem(sc_core::sc_module_name name) : sc_module(name) {}
};

/// What the personalities of a run bring along: each end system, and what names their frames.
class EndFactory {
  public:
    virtual ~EndFactory() = default;
    [[nodiscard]] virtual std::unique_ptr<EndSystem> make(const EndSystem::Environment& environment) const = 0;
    /// `system`: not owned, its hosts may be built later.
    [[nodiscard]] virtual std::unique_ptr<FrameNaming> naming(const RunConfig& run, const System& system) const = 0;
};

}  // namespace rnicsim
