// SPDX-License-Identifier: Apache-2.0
// A frame as text.
#pragma once

#include "tlm/drp/drp_header.h"
#include "tlm/roce/packet.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rnicsim {

struct TcpSeen;

/// The DRP header in the first bytes of a frame; none if it is another frame. The length of a DATA frame cannot be
/// checked here: the head has no payload.
std::optional<DrpHeader> drp_header(std::span<const std::uint8_t> head);

std::string frame_text(const DrpHeader& header);
/// "NAK sequence"; of what answers nothing as its kind on a tape: "WRITE".
std::string_view packet_name(const roce::Bth& bth);
std::string frame_text(const roce::Bth& bth);
/// "TCP", "TCP_ACK", as on a tape.
std::string_view tcp_kind(const TcpSeen& of);
/// "ACK+PSH"
std::string tcp_flags(const TcpSeen& of);
/// "TCP host 2's s3 +1449 #1, 1448 B, ACK+PSH"
std::string frame_text(unsigned from, const TcpSeen& of);
/// `length`: of the whole frame; an ordinary one has nothing else to tell.
std::string frame_text(const std::optional<DrpHeader>& header, const std::optional<roce::Bth>& bth, std::size_t length);

}  // namespace rnicsim
