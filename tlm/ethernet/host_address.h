// SPDX-License-Identifier: Apache-2.0
// The addresses of hosts, by their place in the scenario.
#pragma once

#include "tlm/ethernet/frame.h"

#include <cstdint>
#include <optional>
#include <span>

namespace rnicsim {

/// From 1. In the IPv4 address 10.0.x.y, too.
constexpr std::uint16_t host_number(unsigned host) { return static_cast<std::uint16_t>(host + 1); }

/// Locally administered (IEEE 802, bit 1 of the first octet): 02:00:00:00 and the number of the host.
constexpr MacAddress mac_address(unsigned host) {
    const std::uint16_t number = host_number(host);
    return {0x02, 0, 0, 0, static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)};
}

/// The host with this address; none if it is no host's.
constexpr std::optional<unsigned> host_of(std::span<const std::uint8_t, 6> address) {
    const unsigned number = static_cast<unsigned>(address[4]) << 8 | address[5];
    const bool one_of_ours = address[0] == 0x02 && (address[1] | address[2] | address[3]) == 0 && number != 0;
    return one_of_ours ? std::optional(number - 1) : std::nullopt;
}

}  // namespace rnicsim
