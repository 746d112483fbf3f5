// SPDX-License-Identifier: Apache-2.0
// An end system with a card: a host and its RNIC, joined by PCIe. An observer gets taps in between.
#pragma once

#include "model/end_system.h"
#include "model/host/host.h"
#include "model/rnic/common/rnic.h"

#include <memory>
#include <systemc>

namespace rnicsim {

class CardEnd : public EndSystem {
  public:
    /// The RNIC's own port, or that of the tap behind it.
    [[nodiscard]] FrameOut& wire_out() final { return frame_tap_ ? frame_tap_->out : *wire_out_; }

  protected:
    using EndSystem::EndSystem;
    void join(Host& host, Rnic& rnic, const Environment& environment);

  private:
    std::unique_ptr<PcieTap> pcie_tap_;
    std::unique_ptr<MemoryTap> memory_tap_;
    std::unique_ptr<FrameTap> frame_tap_;
    FrameOut* wire_out_ = nullptr;
};

}  // namespace rnicsim
