// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/cm_addresses.h"

#include "testbench/programs/protocol/addresses.h"
#include "testbench/programs/server/values.h"
#include "tlm/ethernet/host_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace rnicsim::programs {
namespace {

constexpr std::uint32_t kOwn = 0x7F000000U;  // 127.0.0.0/8

CmAddress of_ipv4(std::uint32_t address, unsigned hosts) {
    CmAddress out;
    const std::uint32_t number = address & ~kUpperHalf;
    const bool names_host = (address & kUpperHalf) == kHosts || (address & kUpperHalf) == kTwins;
    if (names_host && number != 0 && number <= hosts) {
        out.kind = CmAddress::Kind::host;
        out.host = number - 1;
    } else if (address == INADDR_ANY) {
        out.kind = CmAddress::Kind::any;
    } else if ((address & 0xFF000000U) == kOwn) {
        out.kind = CmAddress::Kind::loopback;
    }
    return out;
}

CmAddress of_ipv6(const in6_addr& address, unsigned hosts) {
    CmAddress out;
    if (IN6_IS_ADDR_V4MAPPED(&address)) {
        std::uint32_t last = 0;
        std::memcpy(&last, &address.s6_addr[12], sizeof last);
        out = of_ipv4(ntohl(last), hosts);
    } else if (IN6_IS_ADDR_UNSPECIFIED(&address)) {
        out.kind = CmAddress::Kind::any;
    } else if (IN6_IS_ADDR_LOOPBACK(&address)) {
        out.kind = CmAddress::Kind::loopback;
    }
    out.ipv6 = true;
    return out;
}

}  // namespace

std::optional<CmAddress> read_address(const sockaddr_in6& from, unsigned hosts) {
    CmAddress out;
    if (from.sin6_family == AF_INET) {
        sockaddr_in ipv4{};
        std::memcpy(&ipv4, &from, sizeof ipv4);
        out = of_ipv4(ntohl(ipv4.sin_addr.s_addr), hosts);
    } else if (from.sin6_family == AF_INET6) {
        out = of_ipv6(from.sin6_addr, hosts);
    } else {
        return {};
    }
    out.port = ntohs(from.sin6_port);  // of either family it stands at the same place
    return out;
}

sockaddr_in6 write_address(std::optional<unsigned> host, std::uint16_t port, bool ipv6) {
    sockaddr_in6 out{};
    out.sin6_family = ipv6 ? AF_INET6 : AF_INET;
    out.sin6_port = htons(port);
    if (!host) return out;
    if (ipv6) {
        write_gid(std::span<std::uint8_t, 16>(out.sin6_addr.s6_addr), *host);
    } else {
        sockaddr_in ipv4{};
        ipv4.sin_family = AF_INET;
        ipv4.sin_port = out.sin6_port;
        ipv4.sin_addr.s_addr = htonl(kHosts | host_number(*host));
        std::memcpy(&out, &ipv4, sizeof ipv4);
    }
    return out;
}

}  // namespace rnicsim::programs
