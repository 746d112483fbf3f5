// SPDX-License-Identifier: Apache-2.0
// Gives transfers numbers that do not wrap. TIDs are handed out in order and wrap at 65536; a TID means the number
// nearest to the newest so far.
#pragma once

#include "tlm/drp/ids.h"

#include <cstdint>

namespace rnicsim {

class TidSequence {
  public:
    std::uint64_t number_of(Tid tid) {
        const auto behind = static_cast<std::uint16_t>(static_cast<std::uint16_t>(newest_) - raw(tid));
        if (behind < 0x8000 && behind <= newest_) return newest_ - behind;
        newest_ += static_cast<std::uint16_t>(raw(tid) - static_cast<std::uint16_t>(newest_));
        return newest_;
    }
    /// No lower number can be meant any more: at most half of all TIDs may be behind the newest.
    [[nodiscard]] std::uint64_t oldest() const { return newest_ < 0x8000 ? 0 : newest_ - 0x7FFF; }

  private:
    std::uint64_t newest_ = 0;
};

}  // namespace rnicsim
