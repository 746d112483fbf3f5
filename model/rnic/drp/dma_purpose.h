// SPDX-License-Identifier: Apache-2.0
// What a DRP RNIC requests DMA for.
#pragma once

#include "model/rnic/common/dma_engine.h"

namespace rnicsim::dma_purpose {

/// The values are those on tlp_source_o of rnic_core.
inline constexpr DmaSource kPlace{0};  ///< a received data frame
inline constexpr DmaSource kFetch{1};  ///< a data frame to be sent
inline constexpr DmaSource kDrain{2};  ///< what the indirect buffer holds of a transfer
inline constexpr DmaSource kHost{3};   ///< the host interface's: rings, status, ordinary frames

}  // namespace rnicsim::dma_purpose
