// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/messages/shared_landing.h"

#include <fmt/format.h>

namespace rnicsim {

std::string SharedLanding::posted(std::uint32_t slot) {
    if (slot >= slots_.size() || slots_[slot].posted) return "V-I7: a receive is posted whose buffer is in use";
    slots_[slot] = {true, next_index_++, 0, 0};
    posted_.post(slot);
    return {};
}

std::string SharedLanding::placed(std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const std::uint64_t at = address - buffer_.address;
    Slot& slot = slots_[at / buffer_.slot_bytes];
    const auto offset = static_cast<std::uint32_t>(at % buffer_.slot_bytes);
    if (!slot.posted) return "V-I1: bytes are placed in a buffer of no receive WQE";
    if (offset == 0 && slot.placed == 0 && reliable_) {
        // V-S5: taken at the first packet; so in order, and by nobody twice.
        if (slot.index < begun_) return fmt::format("V-I2: receive {} is taken behind a later one", slot.index);
        begun_ = slot.index + 1;
    }
    if (offset != slot.placed && (offset != 0 || !begins_anew_)) {
        return fmt::format("V-I3: {} bytes are placed from byte {} of receive {} on, where {} were", bytes.size(),
                           offset, slot.index, slot.placed);
    }
    slot.placed = offset + static_cast<std::uint32_t>(bytes.size());
    progressed_ = slot.placed > slot.most;
    slot.most = std::max(slot.most, slot.placed);
    return {};
}

std::optional<SharedLanding::Ended> SharedLanding::ended(std::uint32_t index) {
    const std::optional<std::uint32_t> slot = posted_.end(index);
    if (!slot) return {};
    slots_[*slot].posted = false;
    return Ended{buffer_.slot(*slot), slots_[*slot].placed};
}

std::string SharedLanding::at_rest() const {
    return posted_.without_gap() ? "" : "V-I2: a receive was taken, and has not ended";
}

}  // namespace rnicsim
