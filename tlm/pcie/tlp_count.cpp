// SPDX-License-Identifier: Apache-2.0
#include "tlm/pcie/tlp_count.h"

#include <algorithm>

namespace rnicsim {
namespace {

constexpr std::uint32_t round_up_to_dw(std::uint32_t bytes) { return (bytes + 3U) & ~3U; }

/// Bytes from `address` up to the next multiple of `boundary` (a power of two), at most `bytes`.
std::uint32_t up_to_boundary(std::uint64_t address, std::uint32_t bytes, std::uint32_t boundary) {
    const auto room = static_cast<std::uint32_t>(boundary - (address & (boundary - 1)));
    return std::min(bytes, room);
}

constexpr std::uint64_t kFourGib = std::uint64_t{1} << 32;

std::uint32_t request_header(std::uint64_t address) { return address < kFourGib ? kTlpHeader3dw : kTlpHeader4dw; }

/// Bytes cut at multiples of `limit`, a power of two: the first part, whole ones, and what is left.
struct Cut {
    std::uint32_t parts = 0;
    std::uint32_t padded = 0;  ///< bytes, each part rounded up to DW
};
Cut cut(std::uint64_t address, std::uint32_t bytes, std::uint32_t limit) {
    if (bytes == 0) return {};
    const std::uint32_t first = up_to_boundary(address, bytes, limit);
    const std::uint32_t whole = (bytes - first) / limit;
    const std::uint32_t last = (bytes - first) % limit;
    return {1 + whole + (last != 0 ? 1U : 0U), round_up_to_dw(first) + whole * limit + round_up_to_dw(last)};
}

/// Requests below and above 4 GiB have headers of different lengths; a boundary of any limit lies there.
template <typename Count>
TlpCount at_four_gib(std::uint64_t address, std::uint32_t bytes, const Count& count) {
    if (address >= kFourGib || bytes <= kFourGib - address) return count(address, bytes);
    const auto below = static_cast<std::uint32_t>(kFourGib - address);
    TlpCount both = count(address, below);
    both += count(kFourGib, bytes - below);
    return both;
}

}  // namespace

std::uint32_t first_tlp_bytes(std::uint64_t address, std::uint32_t bytes, std::uint32_t limit) {
    return up_to_boundary(address, bytes, std::min(limit, kTlpBoundary));
}

std::uint32_t memory_write_link_bytes(std::uint64_t address, std::uint32_t payload) {
    return request_header(address) + kTlpLinkBytes + round_up_to_dw(payload);
}

std::uint32_t memory_read_link_bytes(std::uint64_t address) { return request_header(address) + kTlpLinkBytes; }

TlpCount memory_write_tlps(std::uint64_t address, std::uint32_t bytes, std::uint32_t max_payload) {
    return at_four_gib(address, bytes, [max_payload](std::uint64_t from, std::uint32_t count) -> TlpCount {
        const Cut all = cut(from, count, std::min(max_payload, kTlpBoundary));
        return {all.parts, all.parts * memory_write_link_bytes(from, 0) + all.padded};
    });
}

TlpCount memory_read_tlps(std::uint64_t address, std::uint32_t bytes, std::uint32_t max_read_request) {
    return at_four_gib(address, bytes, [max_read_request](std::uint64_t from, std::uint32_t count) -> TlpCount {
        const Cut all = cut(from, count, std::min(max_read_request, kTlpBoundary));
        return {all.parts, all.parts * memory_read_link_bytes(from)};
    });
}

TlpCount completion_tlps(std::uint64_t address, std::uint32_t bytes, std::uint32_t max_read_request,
                         std::uint32_t max_payload, std::uint32_t read_completion_boundary) {
    constexpr std::uint32_t kAround = kCompletionLinkBytes;
    TlpCount count;
    while (bytes != 0) {
        const std::uint32_t request = first_tlp_bytes(address, bytes, max_read_request);
        const bool aligned = (address & (read_completion_boundary - 1)) == 0;
        const std::uint32_t head = aligned ? 0 : up_to_boundary(address, request, read_completion_boundary);
        if (head != 0) count += {1, kAround + round_up_to_dw(head)};
        const Cut rest = cut(0, request - head, max_payload);  // in steps from the first boundary on
        count += {rest.parts, rest.parts * kAround + rest.padded};
        address += request;
        bytes -= request;
    }
    return count;
}

}  // namespace rnicsim
