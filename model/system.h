// The whole system: two end systems on a lossy Gigabit link.
#pragma once

#include "model/config.h"
#include "model/end_system.h"
#include "model/network/link/link.h"

#include <memory>
#include <systemc>

namespace rnicsim {

/// Makes the blocks of each end system; not owned.
struct EndBlocks {
    const BlockFactory& a;
    const BlockFactory& b;
};

/// In which order the parts are built. Nothing may depend on it; a test checks that.
enum class BuildOrder : std::uint8_t { a_b_link, link_b_a };

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

    std::unique_ptr<EndSystem> a_;
    std::unique_ptr<EndSystem> b_;
    std::unique_ptr<Link> link_;

  public:
    /// `memory_bytes`: of each host. `blocks`: makes the blocks that the configuration names. `faults`: decides about
    /// faults. `observer`: nullptr = none. Neither is owned.
    System(sc_core::sc_module_name name, const RunConfig& config, std::uint64_t memory_bytes, const EndBlocks& blocks,
           FaultSource& faults, Observer* observer, BuildOrder order = BuildOrder::a_b_link);

    /// Simulates for `duration`.
    void run(Time duration, Ahead ahead);

    [[nodiscard]] EndSystem& end(unsigned index) { return index == 0 ? *a_ : *b_; }
    [[nodiscard]] const EndSystem& end(unsigned index) const { return index == 0 ? *a_ : *b_; }
    [[nodiscard]] const Link& link() const { return *link_; }
    [[nodiscard]] bool idle() const { return a_->idle() && b_->idle() && link_->idle(); }
    [[nodiscard]] FramePool& frames() { return frames_; }
    [[nodiscard]] PciePool& transactions() { return transactions_; }
    [[nodiscard]] std::uint64_t activations() const;
};

}  // namespace rnicsim
