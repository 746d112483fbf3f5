#include "tlm/tlp_count.h"

#include <algorithm>

namespace rnicsim {
namespace {

constexpr std::uint32_t round_up_to_dw(std::uint32_t bytes) { return (bytes + 3U) & ~3U; }

/// Bytes from `address` up to the next multiple of `boundary` (a power of two), at most `bytes`.
std::uint32_t up_to_boundary(std::uint64_t address, std::uint32_t bytes, std::uint32_t boundary) {
    const auto room = static_cast<std::uint32_t>(boundary - (address & (boundary - 1)));
    return std::min(bytes, room);
}

std::uint32_t request_header(std::uint64_t address) { return (address >> 32) != 0 ? kTlpHeader4dw : kTlpHeader3dw; }

}  // namespace

std::uint32_t first_tlp_bytes(std::uint64_t address, std::uint32_t bytes, std::uint32_t limit) {
    return up_to_boundary(address, bytes, std::min(limit, kTlpBoundary));
}

std::uint32_t memory_write_link_bytes(std::uint64_t address, std::uint32_t payload) {
    return request_header(address) + kTlpLinkBytes + round_up_to_dw(payload);
}

std::uint32_t memory_read_link_bytes(std::uint64_t address) { return request_header(address) + kTlpLinkBytes; }

TlpCount memory_write_tlps(std::uint64_t address, std::uint32_t bytes, std::uint32_t max_payload) {
    TlpCount count;
    while (bytes != 0) {
        const std::uint32_t part = first_tlp_bytes(address, bytes, max_payload);
        count += {1, memory_write_link_bytes(address, part)};
        address += part;
        bytes -= part;
    }
    return count;
}

TlpCount memory_read_tlps(std::uint64_t address, std::uint32_t bytes, std::uint32_t max_read_request) {
    TlpCount count;
    while (bytes != 0) {
        const std::uint32_t part = first_tlp_bytes(address, bytes, max_read_request);
        count += {1, memory_read_link_bytes(address)};
        address += part;
        bytes -= part;
    }
    return count;
}

TlpCount completion_tlps(std::uint64_t address, std::uint32_t bytes, std::uint32_t max_read_request,
                         std::uint32_t max_payload, std::uint32_t read_completion_boundary) {
    TlpCount count;
    while (bytes != 0) {
        std::uint32_t request = first_tlp_bytes(address, bytes, max_read_request);
        bytes -= request;
        while (request != 0) {
            const bool aligned = (address & (read_completion_boundary - 1)) == 0;
            const std::uint32_t part =
                aligned ? std::min(request, max_payload) : up_to_boundary(address, request, read_completion_boundary);
            count += {1, kTlpHeader3dw + kTlpLinkBytes + round_up_to_dw(part)};
            address += part;
            request -= part;
        }
    }
    return count;
}

}  // namespace rnicsim
