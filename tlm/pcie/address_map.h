// SPDX-License-Identifier: Apache-2.0
// Where a host's memory and devices are in its physical addresses. Memory begins at 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rnicsim {

/// The RNIC's registers: a BAR of 32 bits.
inline constexpr std::uint64_t kBar0 = 0xF000'0000;
/// BARs of 64 bits follow one another from here on. Assumed: firmware of servers begins at 56 TiB, for one.
inline constexpr std::uint64_t kBars = 0x3800'0000'0000;
/// The smallest BAR, bytes: then no TLP, which never crosses 4 KiB, lies in two ranges.
inline constexpr std::uint64_t kLeastBar = 4096;
/// A write of four bytes here is an MSI; its data is the vector. The range is x86's (Intel SDM 3A, 11.11.1).
inline constexpr std::uint64_t kInterrupts = 0xFEE0'0000;
inline constexpr std::uint64_t kInterruptBytes = 1 << 20;
/// Memory that begins above the devices of 32 bits.
inline constexpr std::uint64_t kAboveDevices = std::uint64_t{1} << 32;

enum class AddressKind : std::uint8_t { dram, bar, msi };

struct AddressRange {
    std::uint64_t base = 0;
    std::uint64_t size = 0;  ///< bytes
    AddressKind kind = AddressKind::dram;
    std::uint32_t device = 0;  ///< of a BAR: the number of its root port
    std::uint32_t bar = 0;     ///< ... and its own there

    /// Are so many bytes all in it? No sum wraps.
    [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t bytes) const {
        return address >= base && address - base < size && bytes <= size - (address - base);
    }
};

/// Disjoint ranges. Nothing is between them: the root complex drops a write there, answers a read with all ones, and
/// counts both as unsupported requests.
class AddressMap {
  public:
    /// Has the interrupts' range.
    AddressMap();

    /// Each throws std::invalid_argument where it meets another range, or leaves 64 bits. Bytes; none is nothing.
    void add_dram(std::uint64_t base, std::uint64_t size);
    /// A BAR's size must be a power of two from kLeastBar on, and its base a multiple of that.
    void add_bar_at(std::uint32_t device, std::uint32_t bar, std::uint64_t base, std::uint64_t size);
    /// Behind all BARs of 64 bits so far, naturally aligned. Returns its base.
    std::uint64_t add_bar(std::uint32_t device, std::uint32_t bar, std::uint64_t size);

    /// The range that holds all of these bytes; nullptr: none does.
    [[nodiscard]] const AddressRange* find(std::uint64_t address, std::uint64_t bytes) const;
    /// By base.
    [[nodiscard]] std::span<const AddressRange> ranges() const { return ranges_; }

  private:
    void add(const AddressRange& range);

    std::vector<AddressRange> ranges_;
    std::uint64_t next_bar_ = kBars;
};

}  // namespace rnicsim
