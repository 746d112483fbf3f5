// SPDX-License-Identifier: Apache-2.0
// The registers of one side of a bridge, at the offsets of Intel's Skylake part (DPDK, ntb_hw_intel.h). Plain logic.
#pragma once

#include "model/ntb/window.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

namespace rnicsim::ntb {

namespace offset {
inline constexpr std::uint64_t kXbase = 0x10, kXlmt = 0x18, kNextWindow = 0x10;  ///< 8 bytes each
inline constexpr std::uint64_t kStatus = 0x40;   ///< of doorbells, 8 bytes; a one that is written clears
inline constexpr std::uint64_t kDisable = 0x48;  ///< of their interrupts, likewise a bit each
inline constexpr std::uint64_t kMisses = 0x70;   ///< 2 bytes; TLPs that no window took. Stops at all ones
inline constexpr std::uint64_t kScratchpads = 0x80, kPeerScratchpads = 0x180;  ///< 4 bytes each
inline constexpr std::uint64_t kDoorbells = 0x100;  ///< 4 bytes each: what is written is a one
}  // namespace offset

class Registers {
  public:
    static constexpr std::uint32_t kScratchpads = 16, kDoorbells = 32;
    static constexpr std::uint32_t kWindows = 2;

    /// What a write asks the other side for.
    struct Doorbell {
        std::uint32_t bit = 0;
    };
    struct Scratchpad {
        std::uint32_t number = 0, value = 0;
    };
    /// ... or this one: interrupts that were held back, the lowest bit.
    struct Unmasked {
        std::uint32_t bit = 0;
    };
    using Effect = std::variant<std::monostate, Doorbell, Scratchpad, Unmasked>;

    /// Where the window's BAR is; it is on from its first limit on.
    void place(std::uint32_t window, std::uint64_t base, std::uint64_t size);
    /// All of it, from now on: its first byte is `there` at the other side.
    void open(std::uint32_t window, std::uint64_t there) {
        Window& of = windows_.at(window);
        of.xbase = there;
        of.xlmt = of.base + of.size;
        of.on = true;
    }
    [[nodiscard]] const std::array<Window, kWindows>& windows() const { return windows_; }

    /// Of 4 or 8 bytes, aligned; 2 of the misses. nullopt: there is no such register, or not of that size.
    std::optional<Effect> write(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    /// `peer`: the other side's, of whose scratchpads these are a view. False: as above.
    [[nodiscard]] bool read(std::uint64_t offset, std::span<std::uint8_t> into, const Registers& peer) const;

    /// The other side has written to a doorbell, or the link has changed. True: the host is to be interrupted; not if
    /// the bit is set already, or masked.
    bool ring(std::uint32_t bit);
    void acknowledge(std::uint32_t bit) { status_ &= ~(std::uint64_t{1} << bit); }
    void set_scratchpad(const Scratchpad& of) { scratchpads_[of.number] = of.value; }
    void missed() { misses_ += misses_ != 0xFFFF ? 1U : 0U; }

    [[nodiscard]] std::uint64_t status() const { return status_; }

  private:
    Effect set_scratchpad(std::uint32_t number, std::uint32_t value);

    std::array<Window, kWindows> windows_{};
    std::uint64_t status_ = 0, disable_ = 0;
    std::array<std::uint32_t, kScratchpads> scratchpads_{};
    std::uint16_t misses_ = 0;
};

}  // namespace rnicsim::ntb
