// SPDX-License-Identifier: Apache-2.0
#include "tlm/ethernet/ipv6.h"

#include <algorithm>

namespace rnicsim {

Ipv6Address ipv6_address(unsigned host, IpAddress which) {
    Ipv6Address out{};
    const std::uint16_t number = host_number(host);
    switch (which) {
        case IpAddress::v4:
            out[10] = out[11] = 0xFF;
            out[12] = 10;
            break;
        case IpAddress::link_local: {
            const MacAddress mac = mac_address(host);
            out[0] = 0xFE;
            out[1] = 0x80;
            std::ranges::copy(std::span(mac).first<3>(), &out[8]);
            out[8] ^= 2U;  // the bit is the other way round there
            out[11] = 0xFF;
            out[12] = 0xFE;
            out[13] = mac[3];
            break;
        }
        case IpAddress::unique_local: out[0] = 0xFD; break;
    }
    put_u16(out, 14, number);
    return out;
}

std::optional<HostAddress> host_of_ipv6(std::span<const std::uint8_t, 16> address) {
    const unsigned number = get_u16(address, 14);
    if (number == 0) return {};
    for (const IpAddress which : {IpAddress::v4, IpAddress::link_local, IpAddress::unique_local}) {
        if (std::ranges::equal(ipv6_address(number - 1, which), address)) return HostAddress{number - 1, which};
    }
    return {};
}

void write_ipv6(std::span<std::uint8_t> frame, const Ipv6& header) {
    const std::span<std::uint8_t> ip = frame.subspan(kIpv4At, kIpv6HeaderBytes);
    put_u16(ip, 0,
            static_cast<std::uint16_t>(0x6000U | unsigned{header.traffic_class} << 4U | header.flow_label >> 16U));
    put_u16(ip, 2, static_cast<std::uint16_t>(header.flow_label));
    put_u16(ip, 4, header.payload);
    ip[6] = kIpv4Udp;
    ip[7] = header.hop_limit;
    std::ranges::copy(header.from, ip.subspan(8).begin());
    std::ranges::copy(header.to, ip.subspan(24).begin());
}

}  // namespace rnicsim
