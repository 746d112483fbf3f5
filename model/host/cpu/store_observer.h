// SPDX-License-Identifier: Apache-2.0
// Hears what becomes of what a host's cores store behind a bridge, and what they wait for meanwhile.
#pragma once

#include "tlm/time/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rnicsim {

/// What an instruction waits for.
enum class StoreWait : std::uint8_t {
    buffer,  ///< a write-combining buffer, or its own line's, which leaves
    fence,   ///< all that has been stored to go to the port, and the fence's own time
    place,   ///< of an uncached store: lines that leave, or a place at the port
    load     ///< what it loads
};
inline constexpr std::array<std::string_view, 4> kStoreWaitNames{"buffer", "fence", "place", "load"};

class StoreObserver {
  public:
    virtual ~StoreObserver() = default;
    /// Bytes of a line that has been told to leave go to the root port.
    virtual void given(std::size_t core, std::uint64_t address, std::uint32_t bytes, Time told, Time at) = 0;
    virtual void waited(std::size_t core, StoreWait why, Time from, Time to) = 0;
};

}  // namespace rnicsim
