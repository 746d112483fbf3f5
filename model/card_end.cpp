// SPDX-License-Identifier: Apache-2.0
#include "model/card_end.h"

namespace rnicsim {

void CardEnd::join(Host& host, Rnic& rnic, const Environment& environment) {
    wire_out_ = &rnic.gmac.wire_out;
    host.root_complex.card.downstream.bind(rnic.pcie.downstream);
    if (environment.observer == nullptr) {
        rnic.pcie.upstream.bind(host.root_complex.card.upstream);
        host.root_complex.memory.bind(host.memory_port());
        return;
    }
    Observer& observer = *environment.observer;
    pcie_tap_ = std::make_unique<PcieTap>("pcie_tap", environment.host, observer);
    memory_tap_ = std::make_unique<MemoryTap>("memory_tap", environment.host, observer);
    frame_tap_ = std::make_unique<FrameTap>("frame_tap", environment.host, observer);
    rnic.pcie.upstream.bind(pcie_tap_->in);
    pcie_tap_->out.bind(host.root_complex.card.upstream);
    host.root_complex.memory.bind(memory_tap_->in);
    memory_tap_->out.bind(host.memory_port());
    rnic.gmac.wire_out.bind(frame_tap_->in);
}

}  // namespace rnicsim
