// SPDX-License-Identifier: Apache-2.0
// The invariant CRC at the end of a RoCEv2 packet: over all that routers leave alone (IBTA vol. 1, 7.8 and annex 17).
#pragma once

#include <cstdint>
#include <span>

namespace rnicsim::roce {

/// Of a packet from the IPv4 header to the pad. It is the FCS's CRC-32 over 8 bytes 0xFF, which stand for a header that
/// InfiniBand has in front, and the packet with ones in what may change on the way: TOS, TTL, both checksums, and the
/// byte of the BTH with FECN and BECN. Precondition: IPv4 without options, UDP and BTH are there.
std::uint32_t icrc(std::span<const std::uint8_t> packet);

/// Written as the FCS is: least significant byte first.
void write_icrc(std::span<std::uint8_t> packet_with_room);
/// Precondition: as that of icrc(), and four bytes more. `packet`: from the IPv4 header to the ICRC.
bool icrc_good(std::span<const std::uint8_t> packet);

}  // namespace rnicsim::roce
