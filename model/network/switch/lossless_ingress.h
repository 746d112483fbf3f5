// SPDX-License-Identifier: Apache-2.0
// Priority-based flow control at the ingress of a switch: how much of each port and lossless class it holds, and when
// the sender has to pause. Plain decisions, no time (IEEE 802.1Qbb; thresholds as in ConWeave's and HPCC's switches).
#pragma once

#include "model/network/switch/config.h"
#include "model/network/switch/shared_buffer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim {

class LosslessIngress {
  public:
    /// `headroom`: by port, bytes of each lossless class.
    LosslessIngress(const SwitchConfig& config, std::vector<std::int64_t> headroom);

    /// Room for a frame of `cells` bytes: how much of it is in the shared pool, the rest is in the headroom. Nothing:
    /// there is none. A pause is to be sent where paused() has become true.
    std::optional<std::int64_t> admit(std::size_t port, unsigned of_class, std::int64_t cells,
                                      const SharedBuffer& pool);
    /// Gives it back; headroom first. Returns how much of it the shared pool gets.
    std::int64_t release(std::size_t port, unsigned of_class, std::int64_t cells);
    /// May a paused sender go on now? It may be asked whenever something has been given back.
    bool resumes(std::size_t port, unsigned of_class, const SharedBuffer& pool);

    [[nodiscard]] bool paused(std::size_t port, unsigned of_class) const { return at(port, of_class).paused; }
    /// Bytes of the port and class in the switch.
    [[nodiscard]] std::int64_t held(std::size_t port, unsigned of_class) const {
        return at(port, of_class).shared + at(port, of_class).headroom;
    }
    [[nodiscard]] std::int64_t headroom_high_water(std::size_t port) const { return high_water_.at(port); }

  private:
    struct Of {
        std::int64_t shared = 0, headroom = 0;
        bool paused = false;
    };
    [[nodiscard]] const Of& at(std::size_t port, unsigned of_class) const { return of_[port * 8 + of_class]; }
    [[nodiscard]] Of& at(std::size_t port, unsigned of_class) { return of_[port * 8 + of_class]; }
    [[nodiscard]] std::int64_t threshold(const SharedBuffer& pool) const;

    const PfcConfig config_;
    const std::vector<std::int64_t> headroom_;  // by port
    std::vector<Of> of_;                        // by port, then class
    std::vector<std::int64_t> high_water_;      // by port: of the headroom of a class
};

}  // namespace rnicsim
