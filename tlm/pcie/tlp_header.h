// SPDX-License-Identifier: Apache-2.0
// Headers of memory request TLPs and of their completions, byte for byte (PCI Express Base
// Specification 2.2.1, 2.2.4.1, 2.2.5, 2.2.7, 2.2.9). The model needs only their lengths (tlp_count.h); captures need
// the bytes.
#pragma once

#include "tlm/pcie/tlp_count.h"

#include <array>
#include <cstdint>
#include <span>

namespace rnicsim {

struct TlpHeader {
    std::array<std::uint8_t, kTlpHeader4dw> bytes{};
    std::uint32_t length = 0;         ///< header bytes: 12 or 16
    std::uint32_t payload_bytes = 0;  ///< of an MWr or a CplD, whole DWs

    [[nodiscard]] std::span<const std::uint8_t> used() const { return std::span(bytes).first(length); }
};

/// Of one TLP: 0 < bytes <= 4096, not across 4 KiB. IDs of requester and completer are 0.
TlpHeader memory_write_header(std::uint64_t address, std::uint32_t bytes);
TlpHeader memory_read_header(std::uint64_t address, std::uint32_t bytes, std::uint8_t tag = 0);
/// Of a CplD with all that such a MRd asks for.
TlpHeader completion_header(std::uint64_t address, std::uint32_t bytes, std::uint8_t tag);
/// Of a Cpl without data: an unsupported request.
TlpHeader refusal_header(std::uint64_t address, std::uint8_t tag);

}  // namespace rnicsim
