// SPDX-License-Identifier: Apache-2.0
#include "model/host/cpu/write_combining.h"

#include <algorithm>

namespace rnicsim {

WriteCombining::Stored WriteCombining::store(std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const std::uint64_t line = line_of(address);
    const std::optional<std::size_t> own = find(address);
    if (own && buffers_[*own].leaves) return Stored::its_line;
    if (!own && buffers_.size() == config_.buffers) return Stored::no_buffer;
    if (!own) buffers_.push_back({.line = line});
    Buffer& into = own ? buffers_[*own] : buffers_.back();
    const auto offset = static_cast<std::uint32_t>(address - line);
    std::ranges::copy(bytes, into.data.begin() + offset);
    if (!bytes.empty()) into.mask |= ~std::uint64_t{0} >> (kLine - bytes.size()) << offset;
    return Stored::taken;
}

std::optional<std::size_t> WriteCombining::full() const {
    const auto found = std::ranges::find_if(buffers_, [this](const Buffer& of) { return !of.leaves && is_full(of); });
    if (found == buffers_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - buffers_.begin());
}

std::optional<std::size_t> WriteCombining::find(std::uint64_t address) const {
    const auto found = std::ranges::find(buffers_, line_of(address), &Buffer::line);
    if (found == buffers_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - buffers_.begin());
}

std::uint32_t WriteCombining::pieces(std::size_t buffer) const {
    const Buffer& of = buffers_.at(buffer);
    if (leaves_whole(of)) return 1;
    std::uint32_t pieces = 0;
    for (std::uint32_t chunk = 0; chunk < config_.line / kChunk; ++chunk)
        if ((of.mask & chunk_mask(chunk)) != 0) ++pieces;
    return pieces;
}

WriteCombining::Piece WriteCombining::take(std::size_t buffer, std::uint32_t n) {
    Buffer& of = buffers_.at(buffer);
    Piece piece;
    if (leaves_whole(of)) {
        piece = {of.line, config_.line, of.mask, of.data};
        of.mask = 0;
    } else {
        std::uint32_t chunk = 0;
        for (std::uint32_t left = n; (of.mask & chunk_mask(chunk)) == 0 || left-- != 0;) ++chunk;
        piece = {of.line + std::uint64_t{kChunk} * chunk, kChunk, (of.mask & chunk_mask(chunk)) >> (8U * chunk), {}};
        std::copy_n(of.data.begin() + std::ptrdiff_t{kChunk} * chunk, kChunk, piece.data.begin());
        of.mask &= ~chunk_mask(chunk);
        of.leaves = true;
    }
    if (of.mask == 0) buffers_.erase(buffers_.begin() + static_cast<std::ptrdiff_t>(buffer));
    return piece;
}

}  // namespace rnicsim
