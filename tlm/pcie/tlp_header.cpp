// SPDX-License-Identifier: Apache-2.0
#include "tlm/pcie/tlp_header.h"

#include <cstddef>

namespace rnicsim {
namespace {

constexpr std::uint8_t kFmt4dw = 0x20;       // Fmt[0], with Type 0_0000 = memory request
constexpr std::uint8_t kFmtWithData = 0x40;  // Fmt[1]

void put_dw(TlpHeader& header, std::uint64_t value) {
    for (unsigned i = 0; i < 4; ++i) header.bytes[header.length++] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
}

/// Of a completion, with Type 0_1010.
constexpr std::uint8_t kTypeCompletion = 0x0A;
constexpr std::uint32_t kUnsupportedRequest = 1;  // its status

TlpHeader completion(std::uint64_t address, std::uint32_t dws, std::uint32_t byte_count, std::uint8_t tag) {
    const bool there = dws != 0;
    TlpHeader header;
    header.payload_bytes = 4 * dws;
    put_dw(header, std::uint32_t{kTypeCompletion | (there ? kFmtWithData : 0U)} << 24 | (dws & 0x3FFU));
    put_dw(header, (there ? 0 : kUnsupportedRequest) << 13 | (byte_count & 0xFFFU));  // 4096 are written as 0
    put_dw(header, std::uint32_t{tag} << 8 | (address & 0x7FU));
    return header;
}

TlpHeader memory_request(std::uint64_t address, std::uint32_t bytes, std::uint8_t tag, bool write) {
    const std::uint32_t skipped = address & 3U;
    const std::uint32_t dws = (skipped + bytes + 3) / 4;
    // Byte enables: the bytes used in the first and in the last DW. A request of one DW has only the first (2.2.5).
    const std::uint32_t unused = dws * 4 - skipped - bytes;
    std::uint32_t first = 0xFU << skipped & 0xFU;
    std::uint32_t last = 0xFU >> unused;
    if (dws == 1) {
        first &= last;
        last = 0;
    }
    const bool wide = (address >> 32) != 0;
    const std::uint32_t fmt_type = (wide ? kFmt4dw : 0U) | (write ? kFmtWithData : 0U);
    TlpHeader header;
    header.payload_bytes = write ? 4 * dws : 0;
    put_dw(header, fmt_type << 24 | (dws & 0x3FFU));  // 1024 DW are written as 0
    put_dw(header, std::uint32_t{tag} << 8 | last << 4 | first);
    if (wide) put_dw(header, address >> 32);
    put_dw(header, address & 0xFFFFFFFCU);
    return header;
}

}  // namespace

TlpHeader memory_write_header(std::uint64_t address, std::uint32_t bytes) {
    return memory_request(address, bytes, 0, true);
}

TlpHeader memory_read_header(std::uint64_t address, std::uint32_t bytes, std::uint8_t tag) {
    return memory_request(address, bytes, tag, false);
}

TlpHeader completion_header(std::uint64_t address, std::uint32_t bytes, std::uint8_t tag) {
    return completion(address, static_cast<std::uint32_t>((address & 3U) + bytes + 3) / 4, bytes, tag);
}

TlpHeader refusal_header(std::uint64_t address, std::uint8_t tag) { return completion(address, 0, 4, tag); }

}  // namespace rnicsim
