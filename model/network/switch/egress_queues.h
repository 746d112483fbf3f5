// SPDX-License-Identifier: Apache-2.0
// The queues of one egress port, one for each priority, and which of them is next. Plain decisions.
#pragma once

#include "model/network/pause_state.h"
#include "model/network/switch/config.h"
#include "tlm/ring.h"
#include "tlm/time/time.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim {

/// A frame in a queue.
struct QueuedFrame {
    std::uint32_t handle = 0;  ///< whose it is only its owner knows
    std::int64_t length = 0;   ///< bytes, DA to FCS
    Time ready;                ///< it may begin from then on
    std::uint16_t ingress = 0;
    std::uint8_t traffic_class = 0;
    bool ecn_capable = false;
    bool marked = false;
};

class EgressQueues {
  public:
    explicit EgressQueues(const SwitchConfig& config);

    void push(unsigned priority, const QueuedFrame& frame) { queues_[priority].push(frame); }
    /// The queue whose first frame begins now; nothing if none may. Of drr that is one step: whoever asks takes it.
    std::optional<unsigned> choose(Time now, PauseState& pauses);
    QueuedFrame pop(unsigned priority) { return queues_[priority].pop(); }
    [[nodiscard]] const QueuedFrame& front(unsigned priority) const { return queues_[priority].front(); }

    [[nodiscard]] bool empty() const;
    /// When the first frame that is not ready is; kEndOfTime if none is in front.
    [[nodiscard]] Time next_ready(Time now) const;

  private:
    std::optional<unsigned> round_robin(Time now, PauseState& pauses);

    const Scheduler scheduler_;
    std::vector<Ring<QueuedFrame>> queues_;  // by priority
    std::vector<std::int64_t> quantum_;      // drr: bytes that a queue gets in its turn
    std::vector<std::int64_t> deficit_;      // ... and has left
    std::size_t turn_ = 0;
    bool granted_ = false;  // it has got its quantum of this turn
};

}  // namespace rnicsim
