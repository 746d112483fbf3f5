// SPDX-License-Identifier: Apache-2.0
#include "model/ntb/registers.h"

#include <bit>
#include <cstring>

namespace rnicsim::ntb {
namespace {

constexpr std::uint64_t kWord = 4, kLong = 8;

/// The register's new value, of which these bytes are written from `at` on.
std::uint64_t merged(std::uint64_t value, std::uint64_t at, std::span<const std::uint8_t> bytes) {
    std::memcpy(reinterpret_cast<std::uint8_t*>(&value) + at, bytes.data(), bytes.size());
    return value;
}
std::uint32_t word_of(std::span<const std::uint8_t> bytes) {
    return static_cast<std::uint32_t>(merged(0, 0, bytes.first(kWord)));
}
/// Is the access of a register of 64 bits that is there, or of a half of it?
bool is_of_long(std::uint64_t at, std::uint64_t of, std::size_t bytes) { return at >= of && at + bytes <= of + kLong; }
/// The number of one in an array of registers of 32 bits.
std::optional<std::uint32_t> number_in(std::uint64_t at, std::uint64_t first, std::uint32_t count) {
    if (at < first || at >= first + kWord * count) return std::nullopt;
    return static_cast<std::uint32_t>((at - first) / kWord);
}
bool is_aligned(std::uint64_t at, std::size_t bytes) { return (bytes == kWord || bytes == kLong) && at % bytes == 0; }

}  // namespace

void Registers::place(std::uint32_t window, std::uint64_t base, std::uint64_t size) {
    windows_.at(window) = {base, size, 0, base, false};
}

std::optional<Registers::Effect> Registers::write(std::uint64_t at, std::span<const std::uint8_t> bytes) {
    if (at == offset::kMisses && bytes.size() == sizeof misses_) {
        misses_ = 0;
        return Effect{};
    }
    if (!is_aligned(at, bytes.size())) return std::nullopt;
    for (std::uint32_t i = 0; i < kWindows; ++i) {
        Window& window = windows_[i];
        const std::uint64_t base = offset::kXbase + i * offset::kNextWindow, limit = base + kLong;
        if (window.size == 0) continue;
        if (is_of_long(at, base, bytes.size())) {
            window.xbase = merged(window.xbase, at - base, bytes);
            return Effect{};
        }
        if (is_of_long(at, limit, bytes.size())) {
            window.xlmt = merged(window.xlmt, at - limit, bytes);
            window.on = true;
            return Effect{};
        }
    }
    if (is_of_long(at, offset::kStatus, bytes.size())) {
        status_ &= ~merged(0, at - offset::kStatus, bytes);
        return Effect{};
    }
    if (is_of_long(at, offset::kDisable, bytes.size())) {
        const std::uint64_t held_back = status_ & disable_;
        disable_ = merged(disable_, at - offset::kDisable, bytes);
        const std::uint64_t now = held_back & ~disable_;
        if (now == 0) return Effect{};
        return Effect{Unmasked{static_cast<std::uint32_t>(std::countr_zero(now))}};
    }
    if (bytes.size() != kWord) return std::nullopt;
    if (const auto number = number_in(at, offset::kScratchpads, kScratchpads)) {
        scratchpads_[*number] = word_of(bytes);
        return Effect{};
    }
    if (const auto number = number_in(at, offset::kPeerScratchpads, kScratchpads))
        return Effect{Scratchpad{*number, word_of(bytes)}};
    if (const auto bit = number_in(at, offset::kDoorbells, kDoorbells)) return Effect{Doorbell{*bit}};
    return std::nullopt;
}

bool Registers::read(std::uint64_t at, std::span<std::uint8_t> into, const Registers& peer) const {
    const auto give = [&](const auto& value, std::uint64_t from) {
        std::memcpy(into.data(), reinterpret_cast<const std::uint8_t*>(&value) + from, into.size());
        return true;
    };
    if (at == offset::kMisses && into.size() == sizeof misses_) return give(misses_, 0);
    if (!is_aligned(at, into.size())) return false;
    for (std::uint32_t i = 0; i < kWindows; ++i) {
        const std::uint64_t base = offset::kXbase + i * offset::kNextWindow, limit = base + kLong;
        if (windows_[i].size == 0) continue;
        if (is_of_long(at, base, into.size())) return give(windows_[i].xbase, at - base);
        if (is_of_long(at, limit, into.size())) return give(windows_[i].xlmt, at - limit);
    }
    if (is_of_long(at, offset::kStatus, into.size())) return give(status_, at - offset::kStatus);
    if (is_of_long(at, offset::kDisable, into.size())) return give(disable_, at - offset::kDisable);
    if (into.size() != kWord) return false;
    if (const auto number = number_in(at, offset::kScratchpads, kScratchpads)) return give(scratchpads_[*number], 0);
    if (const auto number = number_in(at, offset::kPeerScratchpads, kScratchpads))
        return give(peer.scratchpads_[*number], 0);
    return false;
}

bool Registers::ring(std::uint32_t bit) {
    const std::uint64_t mask = std::uint64_t{1} << bit;
    const bool interrupts = (status_ & mask) == 0 && (disable_ & mask) == 0;
    status_ |= mask;
    return interrupts;
}

}  // namespace rnicsim::ntb
