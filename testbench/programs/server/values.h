// SPDX-License-Identifier: Apache-2.0
// What libibverbs calls things, and what the card does (values of infiniband/verbs.h are public ABI).
#pragma once

#include "model/rnic/rc/qp_attributes.h"
#include "testbench/programs/protocol/messages.h"
#include "tlm/ethernet/ipv6.h"
#include "tlm/time/time.h"

#include <boost/endian/conversion.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace rnicsim::programs {

inline constexpr std::uint32_t kMostSendSges = rc::SendSges::capacity(), kMostReceiveSges = rc::ReceiveSges::capacity();

/// Nothing: the card has no such verb, state or service.
std::optional<rc::Verb> verb_of(std::uint8_t ibv_wr_opcode);
std::optional<rc::QpState> state_of(std::uint8_t ibv_qp_state);
std::optional<rc::Service> service_of(std::uint8_t ibv_qp_type);
std::uint8_t number_of(rc::QpState state);

/// Of ibv_access_flags, those that the card knows.
rc::Access access_of(std::uint32_t flags);

/// The vendor's number of an error, as mlx5's completions have it in public reports: 0x81 ucx issue 2973, 0x88 2915,
/// 0x89 5472, 0x8a 1770, 0x51 9515, 0x68 3618, 0xd6 11444, 0xf9 3851; 0x53 warp17 81; 0x69 and 0x87 Open MPI's mailing
/// list. 0: none is known.
std::uint32_t mlx5_error(const rc::Completion& c);

constexpr bool has_immediate(rc::Verb verb) { return verb == rc::Verb::send_imm || verb == rc::Verb::write_imm; }
/// The number whose bytes, in network order, a program has in memory (__be32), and back.
constexpr std::uint32_t of_network_order(std::uint32_t in_memory) { return boost::endian::big_to_native(in_memory); }

/// Of a card's completion, but for the number of its work request.
Completion completion_of(const rc::Completion& c, Time at);

/// 256 to 4096 bytes by ibv_mtu, and back. Nothing: there is none.
std::optional<std::uint32_t> mtu_of(std::uint8_t ibv_mtu);
std::uint8_t mtu_number(std::uint32_t bytes);

/// The GID table of a host. The last one is the first one again, where cards of mlx5 have IPv4 in RoCE v2.
inline constexpr std::array<IpAddress, 4> kGids{IpAddress::v4, IpAddress::link_local, IpAddress::unique_local,
                                                IpAddress::v4};
/// Of any address of a host.
std::optional<unsigned> host_of_gid(std::span<const std::uint8_t, 16> gid);
void write_gid(std::span<std::uint8_t, 16> gid, unsigned host, IpAddress which = IpAddress::v4);
/// Of the host's card, in network order.
std::uint64_t guid_of(unsigned host);

/// Of an address vector or handle (V-Q9).
rc::Path path_of(std::uint8_t sgid_index, std::span<const std::uint8_t, 16> to, std::uint8_t traffic_class,
                 std::uint8_t hop_limit, std::uint32_t flow_label);

/// What is wider than its field in the card, cut to it.
QpChange masked(const QpChange& change);

/// Attributes that a change names, and its mask for the card. Nothing: a value that the card does not know.
struct Attributes {
    rc::AttributeMask mask;
    rc::QpAttributes values;
};
std::optional<Attributes> attributes_of(const QpChange& change);

}  // namespace rnicsim::programs
