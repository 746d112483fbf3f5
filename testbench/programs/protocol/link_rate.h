// SPDX-License-Identifier: Apache-2.0
// The rate of a port as the InfiniBand standard writes it: lanes, and the rate of one.
#pragma once

#include <cstdint>
#include <iterator>

namespace rnicsim::programs {

struct LinkRate {
    std::uint32_t mbps;
    std::uint8_t width, speed;  ///< of ibv_port_attr
    std::uint8_t lanes;
    const char* name;  ///< of the speed, as /sys has it
};
inline constexpr std::uint8_t k1x = 1, k4x = 2, k8x = 4;
inline constexpr std::uint8_t kSdr = 1, kQdr = 4, kEdr = 32, kHdr = 64, kNdr = 128;
inline constexpr LinkRate kLinkRates[] = {
    {2'500, k1x, kSdr, 1, ""},       {10'000, k1x, kQdr, 1, " QDR"},  {25'000, k1x, kEdr, 1, " EDR"},
    {40'000, k4x, kQdr, 4, " QDR"},  {50'000, k1x, kHdr, 1, " HDR"},  {100'000, k4x, kEdr, 4, " EDR"},
    {200'000, k4x, kHdr, 4, " HDR"}, {400'000, k4x, kNdr, 4, " NDR"}, {800'000, k8x, kNdr, 8, " NDR"}};

/// The slowest that is fast enough.
constexpr const LinkRate& link_rate(std::uint32_t mbps) {
    for (const LinkRate& link : kLinkRates) {
        if (link.mbps >= mbps) return link;
    }
    return kLinkRates[std::size(kLinkRates) - 1];
}

}  // namespace rnicsim::programs
