// What the Verilog has built in (rtl/README.md). A scenario that uses it may not ask for anything else.
#pragma once

#include "tlm/units.h"

#include <cstdint>

namespace rnicsim::rtl_contract {

inline constexpr Cycle kGmacTxLatency{4};
inline constexpr Cycle kGmacRxLatency{2};
inline constexpr Cycle kInterpacketGap{12};
inline constexpr std::uint32_t kMtu = 1500;
inline constexpr Cycle kFilterLatency{3};

}  // namespace rnicsim::rtl_contract
