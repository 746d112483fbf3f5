// SPDX-License-Identifier: Apache-2.0
#include "model/network/switch/headroom.h"

#include "tlm/ethernet/frame.h"

#include <algorithm>

namespace rnicsim {

std::int64_t needed_headroom(const SwitchConfig& config, const LinkConfig& link, Time reaction) {
    const std::int64_t largest = config.mtu + static_cast<std::int64_t>(kEthernetHeaderBytes + kFcsBytes);
    // A pause frame of 64 B, preamble and gap around it, and the last frame's: 84 + 20 + 20 B.
    constexpr std::int64_t kAround = 124;
    const std::int64_t away = (link.delay * 2 + reaction).ps;
    const std::int64_t bytes = 3 * largest + kAround + (away + link.timing.per_byte.ps - 1) / link.timing.per_byte.ps;
    // The worst frames for whole cells are those that begin one with a byte.
    std::int64_t worst_num = 1, worst_den = 1;
    for (std::int64_t length = static_cast<std::int64_t>(kMinFrameBytes); length <= largest; ++length) {
        const std::int64_t cells = (length + config.cell - 1) / config.cell * config.cell;
        if (cells * worst_den > worst_num * length) worst_num = cells, worst_den = length;
    }
    return (bytes * worst_num + worst_den - 1) / worst_den;
}

Time shortest_pause(const SwitchConfig& config, const LinkConfig& link, Time reaction) {
    const std::int64_t largest = config.mtu + static_cast<std::int64_t>(kEthernetHeaderBytes + kFcsBytes);
    const Time said = link.timing.serialisation(static_cast<std::size_t>(largest)) +
                      link.timing.serialisation(kMinFrameBytes) + link.timing.gap() * 2;
    return (said + reaction) * 2;
}

}  // namespace rnicsim
