// The memory of a switch: one pool for the queues of all ports. Plain decisions, no time.
#pragma once

#include "model/network/switch/config.h"
#include "model/network/switch/drop_reason.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim {

class SharedBuffer {
  public:
    SharedBuffer(const SwitchConfig& config, std::size_t ports);

    /// Takes room in the queue of this port, or says why there is none. `bytes` > 0, DA to FCS.
    std::optional<DropReason> admit(std::size_t port, std::int64_t bytes);
    /// Gives it back. Precondition: as much has been taken.
    void release(std::size_t port, std::int64_t bytes);

    /// Bytes in whole cells.
    [[nodiscard]] std::int64_t used() const { return used_; }
    [[nodiscard]] std::int64_t queued(std::size_t port) const { return queues_.at(port); }
    [[nodiscard]] std::int64_t high_water() const { return high_water_; }
    [[nodiscard]] std::int64_t queue_high_water(std::size_t port) const { return queue_high_water_.at(port); }

  private:
    [[nodiscard]] std::int64_t in_cells(std::int64_t bytes) const {
        return (bytes + config_.cell - 1) / config_.cell * config_.cell;
    }
    /// What a queue takes of the shared part of the pool: all above its reserve.
    [[nodiscard]] std::int64_t shared(std::int64_t queue) const {
        return queue > config_.reserve ? queue - config_.reserve : 0;
    }

    const SwitchConfig config_;
    std::vector<std::int64_t> queues_;            // by port
    std::vector<std::int64_t> queue_high_water_;  // by port
    std::int64_t pool_;                           // bytes that are no port's reserve
    std::int64_t shared_ = 0;                     // ... in use
    std::int64_t used_ = 0;
    std::int64_t high_water_ = 0;
};

}  // namespace rnicsim
