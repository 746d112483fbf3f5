// SPDX-License-Identifier: Apache-2.0
// Addresses that programs give to the connection manager, and those that they get.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <optional>

namespace rnicsim::programs {

/// What an address means on a host of the scenario.
struct CmAddress {
    enum class Kind : std::uint8_t {
        any,       ///< 0.0.0.0, ::
        loopback,  ///< 127.0.0.1, ::1 and what else of 127.0.0.0/8 names no host
        host,      ///< 10.0.x.y, or 127.1.x.y, which TCP of the machine understands, too
        elsewhere,
    };
    Kind kind = Kind::elsewhere;
    unsigned host = 0;  ///< from 0
    std::uint16_t port = 0;
    bool ipv6 = false;
};

/// None: it is of no family that has a meaning here.
std::optional<CmAddress> read_address(const sockaddr_in6& from, unsigned hosts);

/// 10.0.x.y, as IPv6 mapped; without a host: any.
sockaddr_in6 write_address(std::optional<unsigned> host, std::uint16_t port, bool ipv6);

}  // namespace rnicsim::programs
