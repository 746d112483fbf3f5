// The whole system: two end systems on a lossy Gigabit link.
#pragma once

#include "model/config.h"
#include "model/end_system.h"
#include "model/link/lossy_link.h"

#include <array>
#include <systemc>

namespace rnicsim {

class System : public sc_core::sc_module {
    // First, so that they outlive everything that holds a frame or a transaction.
    FramePool frames_;
    PciePool transactions_;

  public:
    /// `memory_bytes`: of each host. `observer`: not owned; nullptr = nobody looks.
    System(sc_core::sc_module_name name, const RunConfig& config, std::uint64_t memory_bytes, Observer* observer);

    EndSystem a;
    EndSystem b;
    LossyLink link;

    [[nodiscard]] EndSystem& end(unsigned index) { return index == 0 ? a : b; }
    [[nodiscard]] bool idle() const { return a.idle() && b.idle(); }
    [[nodiscard]] FramePool& frames() { return frames_; }
    [[nodiscard]] PciePool& transactions() { return transactions_; }
    [[nodiscard]] std::uint64_t activations() const;
};

}  // namespace rnicsim
