// SPDX-License-Identifier: Apache-2.0
// The DMA engine: cuts DMA requests into TLPs, one request after another. The TLPs then queue for the link.
#pragma once

#include "model/rnic/common/config.h"
#include "tlm/pcie/tlp_count.h"
#include "tlm/time/cycle.h"

#include <cstdint>
#include <span>

namespace rnicsim {

/// Purpose of a DMA request: the protocol's own, for who observes.
enum class DmaSource : std::uint8_t {};

/// Cuts the PCIe endpoint's requests: the model's arithmetic, or Verilog.
class DmaEngine {
  public:
    virtual ~DmaEngine() = default;

    enum class Direction : std::uint8_t { write, read };
    struct Piece {
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
        TlpCount count;  ///< set by issue()
    };
    /// Takes a request of one or more pieces that reaches the engine at `at`, behind earlier ones. Returns the cycle
    /// of its first TLP: set-up takes `request_overhead`, then follows one TLP per cycle. The next request's set-up
    /// begins after the last TLP.
    virtual Cycle issue(Cycle at, Direction direction, std::span<Piece> pieces) = 0;
};

class DmaEngineModel final : public DmaEngine {
  public:
    explicit DmaEngineModel(const PcieConfig& config) : config_(config) {}
    Cycle issue(Cycle at, Direction direction, std::span<Piece> pieces) override;

  private:
    const PcieConfig config_;
    Cycle free_;
};

}  // namespace rnicsim
