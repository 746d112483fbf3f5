// SPDX-License-Identifier: Apache-2.0
// Lines of the card's tables between host memory and the card, by DMA. What a line holds stays with the blocks: zeros
// are written, and what is read is not looked at.
#pragma once

#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/rc/context_lines.h"

#include <cstdint>

namespace rnicsim::rc {

class LineDma final : public ContextLines::Port, private DmaClient {
  public:
    LineDma(PcieEndpoint& pcie, FramePool& frames, ContextLines& lines) : pcie_(pcie), frames_(frames), lines_(lines) {}

    void read_line(Cycle now, LineId line, std::uint64_t address, std::uint32_t bytes) override;
    void write_line(Cycle now, std::uint64_t address, std::uint32_t bytes) override;

  private:
    void read_done(Cycle now, std::uint64_t context, FrameRef frame) override;

    PcieEndpoint& pcie_;
    FramePool& frames_;
    ContextLines& lines_;
};

}  // namespace rnicsim::rc
