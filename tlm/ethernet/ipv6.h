// SPDX-License-Identifier: Apache-2.0
// The IPv6 header (RFC 8200) and the addresses of hosts, as far as they are read and written here. Bytes count from the
// beginning of a frame.
#pragma once

#include "tlm/ethernet/host_address.h"
#include "tlm/ethernet/ipv4.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace rnicsim {

inline constexpr std::uint16_t kIpv6EtherType = 0x86DD;
inline constexpr std::size_t kIpv6HeaderBytes = 40;
using Ipv6Address = std::array<std::uint8_t, 16>;

/// Which of a host's addresses: 10.0.x.y; fe80:: and its MAC address as EUI-64 (RFC 4291); fd00::x:y (RFC 4193).
enum class IpAddress : std::uint8_t { v4 = 0, link_local = 1, unique_local = 2 };

/// As GIDs have them: the first one as ::ffff:10.0.x.y.
Ipv6Address ipv6_address(unsigned host, IpAddress which);
struct HostAddress {
    unsigned host = 0;
    IpAddress which{};
};
/// Nothing: it is no host's.
std::optional<HostAddress> host_of_ipv6(std::span<const std::uint8_t, 16> address);

struct Ipv6 {
    Ipv6Address from{}, to{};
    std::uint16_t payload = 0;  ///< bytes behind this header
    std::uint8_t traffic_class = 0, hop_limit = kHopLimit;
    std::uint32_t flow_label = 0;
};
/// Of UDP. Precondition: `frame` has room for it.
void write_ipv6(std::span<std::uint8_t> frame, const Ipv6& header);

}  // namespace rnicsim
