// SPDX-License-Identifier: Apache-2.0
// Why a switch drops a frame. Each reason has a counter; there is no "other".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rnicsim {

enum class DropReason : std::uint8_t {
    bad_fcs,
    runt,
    oversize,
    no_route,     ///< no host has this address, or it is at the port that the frame came from
    queue_limit,  ///< the queue of its port is at its fixed limit
    threshold,    ///< ... at its share of what is free
    buffer,       ///< nothing is free
    headroom,     ///< of a lossless class: its headroom is full, which is an error of the settings
    count
};
inline constexpr std::size_t kDropReasons = static_cast<std::size_t>(DropReason::count);
inline constexpr std::array<std::string_view, kDropReasons> kDropReasonNames{
    "bad_fcs", "runt", "oversize", "no_route", "queue_limit", "threshold", "buffer", "headroom"};

}  // namespace rnicsim
