// The whole system: two end systems on a link.
#pragma once

#include "model/config.h"
#include "model/end_system.h"
#include "model/network/link/link.h"

#include <memory>
#include <systemc>
#include <vector>

namespace rnicsim {

/// Makes the blocks of each end system, by host; not owned.
using EndBlocks = std::vector<const BlockFactory*>;

/// In which order the parts are built. Nothing may depend on it; a test checks that.
enum class BuildOrder : std::uint8_t { hosts_first, links_first };

/// Whether modules may act ahead of the kernel's time (tlm/horizon.h).
enum class Ahead : std::uint8_t {
    never,    ///< observers hear of all events in the order of their cycles
    allowed,  ///< fewer activations
};

class System : public sc_core::sc_module {
    // First, so that they outlive everything that holds a frame or a transaction.
    FramePool frames_;
    PciePool transactions_;
    Horizon horizon_;

    std::vector<std::unique_ptr<EndSystem>> ends_;  // by host
    std::unique_ptr<Link> link_;

  public:
    /// `memory_bytes`: of each host. `blocks`: makes the blocks that the configuration names. `faults`: decides about
    /// faults. `observer`: nullptr = none. Neither is owned.
    System(sc_core::sc_module_name name, const RunConfig& config, std::uint64_t memory_bytes, const EndBlocks& blocks,
           FaultSource& faults, Observer* observer, BuildOrder order = BuildOrder::hosts_first);

    /// Simulates for `duration`.
    void run(Time duration, Ahead ahead);

    [[nodiscard]] unsigned hosts() const { return static_cast<unsigned>(ends_.size()); }
    [[nodiscard]] EndSystem& end(unsigned host) { return *ends_[host]; }
    [[nodiscard]] const EndSystem& end(unsigned host) const { return *ends_[host]; }
    [[nodiscard]] const Link& link() const { return *link_; }
    [[nodiscard]] bool idle() const;
    [[nodiscard]] FramePool& frames() { return frames_; }
    [[nodiscard]] PciePool& transactions() { return transactions_; }
    [[nodiscard]] std::uint64_t activations() const;
};

}  // namespace rnicsim
