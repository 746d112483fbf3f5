// SPDX-License-Identifier: Apache-2.0
// PCIe transaction-layer packets: how many of them a request becomes, and how many bytes they take on the link.
// Rules: PCI Express Base Specification, chapter 2 (packets) and 3 (data link layer).
#pragma once

#include <cstdint>

namespace rnicsim {

// Bytes around the payload of one TLP: framing 2 (Gen3: STP token 4, sequence number inside), sequence number 2,
// LCRC 4.
inline constexpr std::uint32_t kTlpLinkBytes = 8;
inline constexpr std::uint32_t kTlpHeader3dw = 12;  // 32-bit address; completions always
inline constexpr std::uint32_t kTlpHeader4dw = 16;  // 64-bit address (4 GiB and above)
/// A completion without data: its status says why.
inline constexpr std::uint32_t kCompletionLinkBytes = kTlpHeader3dw + kTlpLinkBytes;
inline constexpr std::uint32_t kDllpBytes = 8;       // Ack DLLP, one for each TLP received
inline constexpr std::uint32_t kTlpBoundary = 4096;  // a request must not cross it (2.2.7)

/// The TLPs that one DMA request, or the completion of one, is split into.
struct TlpCount {
    std::uint32_t tlps = 0;
    std::uint32_t link_bytes = 0;  ///< headers, payload (padded to DW) and link-layer bytes of all of them

    friend bool operator==(const TlpCount&, const TlpCount&) = default;
    TlpCount& operator+=(const TlpCount& other) {
        tlps += other.tlps;
        link_bytes += other.link_bytes;
        return *this;
    }
};

/// Bytes of the first TLP of a request: up to the next multiple of `limit`, the maximum payload or read request size (a
/// power of two, so never across 4 KiB).
std::uint32_t first_tlp_bytes(std::uint64_t address, std::uint32_t bytes, std::uint32_t limit);

/// Bytes on the link of one MWr with this payload, and of one MRd.
std::uint32_t memory_write_link_bytes(std::uint64_t address, std::uint32_t payload);
std::uint32_t memory_read_link_bytes(std::uint64_t address);
/// The most that a TLP with payload takes on the link.
constexpr std::uint32_t largest_tlp_link_bytes(std::uint32_t max_payload) {
    return kTlpLinkBytes + kTlpHeader4dw + max_payload;
}

/// MWr: cut at multiples of the maximum payload size (a power of two, so never across 4 KiB). Bytes > 0.
TlpCount memory_write_tlps(std::uint64_t address, std::uint32_t bytes, std::uint32_t max_payload);

/// MRd: cut at multiples of the maximum read request size. Each TLP takes one tag.
TlpCount memory_read_tlps(std::uint64_t address, std::uint32_t bytes, std::uint32_t max_read_request);

/// CplD of a read: for each MRd, first up to the next read completion boundary if it starts between two, then in steps
/// of the maximum payload size.
TlpCount completion_tlps(std::uint64_t address, std::uint32_t bytes, std::uint32_t max_read_request,
                         std::uint32_t max_payload, std::uint32_t read_completion_boundary);

}  // namespace rnicsim
