// What libibverbs calls things, and what the card does (values of infiniband/verbs.h are public ABI).
#pragma once

#include "model/rnic/rc/qp_attributes.h"
#include "testbench/programs/protocol/messages.h"
#include "tlm/time/time.h"

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

/// Of a card's completion, but for the number of its work request.
Completion completion_of(const rc::Completion& c, Time at);

/// 256 to 4096 bytes by ibv_mtu, and back. Nothing: there is none.
std::optional<std::uint32_t> mtu_of(std::uint8_t ibv_mtu);
std::uint8_t mtu_number(std::uint32_t bytes);

/// An address ::ffff:10.0.x.y is host's number x.y - 1.
std::optional<unsigned> host_of_gid(std::span<const std::uint8_t, 16> gid);
void write_gid(std::span<std::uint8_t, 16> gid, unsigned host);
/// Of the host's card, in network order.
std::uint64_t guid_of(unsigned host);

/// Attributes that a change names, and its mask for the card. Nothing: a value that the card does not know.
struct Attributes {
    rc::AttributeMask mask;
    rc::QpAttributes values;
};
std::optional<Attributes> attributes_of(const QpChange& change);

}  // namespace rnicsim::programs
