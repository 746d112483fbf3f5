// SPDX-License-Identifier: Apache-2.0
// The TCP header (RFC 9293) with timestamps (RFC 7323), as far as hosts here read and write it. Bytes count from the
// beginning of a frame with IPv4.
#pragma once

#include "tlm/ethernet/ipv4.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace rnicsim {

inline constexpr std::uint8_t kIpv4Tcp = 6;
inline constexpr std::size_t kTcpAt = kIpv4At + kIpv4HeaderBytes;
inline constexpr std::size_t kTcpHeaderBytes = 32;     ///< with the timestamps' option
inline constexpr std::size_t kTcpSynHeaderBytes = 40;  ///< ... and those of a SYN
inline constexpr unsigned kTcpWindowShift = 8;         ///< of every connection here (RFC 7323, 2)

struct TcpHeader {
    std::uint16_t from = 0, to = 0;  ///< ports
    std::uint32_t sequence = 0, acknowledged = 0;
    std::uint16_t window = 0;  ///< in units of 2^kTcpWindowShift bytes
    bool syn = false, ack = false, fin = false, reset = false, push = false;
    std::uint32_t stamp = 0, echo = 0;  ///< milliseconds
    std::uint16_t segment = 0;          ///< of a SYN: the longest payload
    [[nodiscard]] constexpr std::size_t bytes() const { return syn ? kTcpSynHeaderBytes : kTcpHeaderBytes; }
};

/// Writes it without its checksum. Precondition: `frame` has room for it.
void write_tcp(std::span<std::uint8_t> frame, const TcpHeader& header);
/// Precondition: a whole frame with IPv4 and TCP, whose IP header says how long it is. For Frame::seal(), too.
void write_tcp_checksum(std::span<std::uint8_t> frame);
/// Makes frame `offset` bytes later in the stream out of its first header: sequence number, lengths, and the flags that
/// the last one alone has. `payload`: bytes of this frame. Precondition: a header by write_ipv4() and write_tcp().
void cut_tcp(std::span<std::uint8_t> header, std::uint32_t offset, std::uint32_t payload, bool last);

struct TcpPacket {
    TcpHeader header;
    std::size_t payload_at = 0, payload = 0;  ///< bytes
};
/// Is it IPv4 with TCP, as the first bytes say? Precondition: it is no runt.
bool is_tcp(std::span<const std::uint8_t> frame);
/// Nothing: it is no TCP, or not all there. The checksum is not looked at.
std::optional<TcpPacket> read_tcp(std::span<const std::uint8_t> frame);

}  // namespace rnicsim
