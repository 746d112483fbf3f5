// SPDX-License-Identifier: Apache-2.0
// How much of its window a sender uses (PROTOCOL.md 4.1).
#pragma once

#include "model/policy.h"
#include "model/rnic/drp/policies/names.h"

#include <cstdint>

namespace rnicsim {

/// A window in parts of a frame, so that it may grow by less than a frame.
inline constexpr std::uint32_t kWindowParts = 1024;

/// All in parts; `window`: frames, what a rule stays below. Results are at least one frame.
class WindowRule : public Policy {
  public:
    /// Of a new transfer.
    [[nodiscard]] virtual std::uint32_t first(std::uint32_t window) const = 0;
    /// An acknowledgement of new data has come, outside a recovery.
    [[nodiscard]] virtual std::uint32_t on_progress(std::uint32_t open, std::uint32_t window) const = 0;
    /// A fast retransmission begins.
    [[nodiscard]] virtual std::uint32_t on_loss(std::uint32_t open) const = 0;
    /// The data timer has expired.
    [[nodiscard]] virtual std::uint32_t on_timeout(std::uint32_t open) const = 0;
};

}  // namespace rnicsim
