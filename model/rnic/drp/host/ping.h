// SPDX-License-Identifier: Apache-2.0
// ICMP echo over IPv4 in Ethernet: the ordinary traffic that the paper runs along with the transfers (section 4.3).
#pragma once

#include "tlm/ethernet/ipv4.h"

#include <cstdint>
#include <span>

namespace rnicsim {

inline constexpr std::size_t kPingHeaderBytes = kIpv4HeaderBytes + 8;  // ICMP: 8

/// Writes an echo request of `frame.size() - 14` bytes of client data (at least 28) into a frame without FCS.
/// `from`, `to`: the hosts. `id`: the stream; `sequence`: the request in it.
void make_echo_request(std::span<std::uint8_t> frame, unsigned from, unsigned to, std::uint16_t id,
                       std::uint16_t sequence);

enum class EchoKind : std::uint8_t { none, request, reply };

/// What a received frame (without FCS) is; `none` also when a checksum is wrong.
EchoKind classify_echo(std::span<const std::uint8_t> frame);

/// Turns a request into its reply in place: addresses swapped, checksum adjusted. Precondition: it is a request.
void turn_into_reply(std::span<std::uint8_t> frame);

}  // namespace rnicsim
