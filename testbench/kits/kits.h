// SPDX-License-Identifier: Apache-2.0
// All personalities.
#pragma once

#include "testbench/kits/kit.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace rnicsim {

/// In the order in which messages name them.
const std::vector<const PersonalityKit*>& kits();
/// Those that a run has hosts of.
std::vector<const PersonalityKit*> kits_of(const RunConfig& run);
/// That of a host.
const PersonalityKit& kit_of(const RunConfig& run, unsigned host);

/// Makes each end system by the kit of its host.
class KitEnds final : public EndFactory {
  public:
    /// `memory_bytes`: by host. `blocks`: by host, each makes the blocks that its configuration names, not owned;
    /// empty: models only.
    explicit KitEnds(std::vector<std::uint64_t> memory_bytes, std::vector<BlockMakers> blocks = {})
        : memory_bytes_(std::move(memory_bytes)), blocks_(std::move(blocks)) {}
    [[nodiscard]] std::unique_ptr<EndSystem> make(const EndSystem::Environment& environment) const override;
    [[nodiscard]] std::unique_ptr<FrameNaming> naming(const RunConfig& run, const System& system) const override;

  private:
    std::vector<std::uint64_t> memory_bytes_;
    std::vector<BlockMakers> blocks_;
};

}  // namespace rnicsim
