// SPDX-License-Identifier: Apache-2.0
// Between a Header and its bytes behind UDP; made from the tables in fields.h and opcodes.h.
#pragma once

#include "tlm/roce/header.h"
#include "tlm/roce/opcodes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rnicsim::roce {

/// Why a frame is no RoCEv2 packet, or none that means anything. Each reason has its own counter.
enum class Error : std::uint8_t {
    none,
    not_ipv4,     ///< another EtherType, version or options
    truncated,    ///< shorter than its headers, or than IPv4 says
    ip_checksum,  ///< of the IPv4 header
    fragment,     ///< a part of an IPv4 packet: RoCEv2 forbids it (IBTA vol. 1, annex 17)
    not_roce,     ///< not UDP, or not to port 4791
    length,   ///< lengths of IPv4 and UDP differ; payload that is no multiple of 4 with its pad, or where none may be
    icrc,     ///< wrong: nothing in the packet can be believed
    version,  ///< of the BTH
    unknown_opcode,
    pad,      ///< more than there is payload
    syndrome  ///< a reserved kind of answer
};
inline constexpr std::array<std::string_view, 12> kErrorNames{"none",     "not_ipv4",       "truncated", "ip_checksum",
                                                              "fragment", "not_roce",       "length",    "icrc",
                                                              "version",  "unknown_opcode", "pad",       "syndrome"};
constexpr std::string_view error_name(Error error) { return kErrorNames.at(static_cast<std::size_t>(error)); }

/// Writes the headers, and nothing behind them; returns how many bytes they are. Numbers of 24 bits lose what they have
/// above. Precondition: meaning(header.opcode); `out` has room for header_bytes(header.opcode).
std::size_t encode(const Header& header, std::span<std::uint8_t> out);

/// Reads the headers. `packet`: from the BTH to the pad, without ICRC. What the opcode has no header for is as in
/// Header{}. On an error but `truncated` and `version` the fields of the BTH are those of the packet, so that it can be
/// refused by a NAK; the others are unspecified. Reserved bits and MigReq are ignored.
Error decode(std::span<const std::uint8_t> packet, Header& header);

/// A congestion notification for this QP (IBTA vol. 1, annex 17).
constexpr Header congestion_notification(Qpn to) {
    Header header;
    header.opcode = Opcode::cnp;
    header.becn = true;
    header.to = to;
    return header;
}

}  // namespace rnicsim::roce
