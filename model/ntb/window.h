// SPDX-License-Identifier: Apache-2.0
// A memory window of a non-transparent bridge: an address of this side becomes one of the other side, or is none.
#pragma once

#include <cstdint>
#include <optional>

namespace rnicsim::ntb {

/// Registers of one side; names as in Intel's Skylake part (XBASE, XLMT).
struct Window {
    std::uint64_t base = 0;   ///< of its BAR here, aligned to `size`
    std::uint64_t size = 0;   ///< of the BAR, bytes, a power of two
    std::uint64_t xbase = 0;  ///< where `base` lies at the other side
    std::uint64_t xlmt = 0;   ///< of this side, exclusive: nothing from here on passes
    bool on = false;

    /// Where the TLP goes, if every byte of it lies in the BAR and below the limit; else it is an unsupported request.
    [[nodiscard]] constexpr std::optional<std::uint64_t> translate(std::uint64_t address, std::uint64_t bytes) const {
        if (!on || bytes == 0 || address < base) return std::nullopt;
        const std::uint64_t offset = address - base;
        if (offset >= size || bytes > size - offset) return std::nullopt;
        if (address >= xlmt || bytes > xlmt - address) return std::nullopt;
        return xbase + offset;
    }
};

}  // namespace rnicsim::ntb
