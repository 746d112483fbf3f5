// SPDX-License-Identifier: Apache-2.0
#include "model/host/cpu/line_eviction.h"

#include <algorithm>
#include <bit>

namespace rnicsim {

WriteCombining::Stored LineEviction::store(Time at, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const std::size_t before = buffers_.buffers().size();
    const WriteCombining::Stored stored = buffers_.store(address, bytes);
    if (stored == WriteCombining::Stored::no_buffer && leaving_.empty()) leave(at, victim());
    if (stored != WriteCombining::Stored::taken) return stored;
    if (buffers_.buffers().size() != before && config_.hold != kEndOfTime)
        held_.push_back({buffers_.line_of(address), at});
    if (const std::optional<std::size_t> full = buffers_.full()) leave(at, *full);
    return stored;
}

void LineEviction::drain(Time at) {
    while (staying() != 0) leave(at, victim());
}

void LineEviction::drain_line(Time at, std::uint64_t address) {
    const std::optional<std::size_t> own = buffers_.find(address);
    if (own && !buffers_.buffers()[*own].leaves) leave(at, *own);
}

void LineEviction::leave(Time at, std::size_t buffer) {
    const std::uint64_t line = buffers_.buffers()[buffer].line;
    buffers_.close(buffer);
    const Time ready = at + config_.evict;
    leaving_.push_back({line, leaving_.empty() ? ready : std::max(ready, leaving_.back().ready), at});
    std::erase_if(held_, [line](const Held& held) { return held.line == line; });
}

std::size_t LineEviction::victim() {
    std::uint32_t before = config_.victim == Victim::random ? below(staying()) : 0;
    std::size_t buffer = 0;
    while (buffers_.buffers()[buffer].leaves || before-- != 0) ++buffer;
    return buffer;
}

bool LineEviction::has_line(std::uint64_t address) const {
    return buffers_.find(address).has_value() ||
           (piece_.mask != 0 && buffers_.line_of(piece_.address) == buffers_.line_of(address));
}

Time LineEviction::next_ready() const {
    if (piece_.mask != 0) return {};
    return leaving_.empty() ? kEndOfTime : leaving_.front().ready;
}

std::uint64_t LineEviction::next_line(Time now) {
    if (piece_.mask != 0) return buffers_.line_of(piece_.address);
    if (!next_) {
        const auto ready = std::ranges::find_if(leaving_, [now](const Leaving& of) { return of.ready > now; });
        const auto some = static_cast<std::size_t>(ready - leaving_.begin());
        next_ = config_.order == PieceOrder::any ? below(some) : 0;
    }
    return leaving_[*next_].line;
}

LineEviction::Bytes LineEviction::take() {
    if (piece_.mask == 0) {
        const std::uint64_t line = leaving_[*next_].line;
        piece_told_ = leaving_[*next_].told;
        const std::size_t buffer = *buffers_.find(line);
        const std::uint32_t pieces = buffers_.pieces(buffer);
        piece_ = buffers_.take(buffer, config_.order == PieceOrder::any ? below(pieces) : 0);
        if (!buffers_.find(line)) leaving_.erase(leaving_.begin() + static_cast<std::ptrdiff_t>(*next_));
        next_.reset();
    }
    const auto first = static_cast<std::uint32_t>(std::countr_zero(piece_.mask));
    const auto bytes = static_cast<std::uint32_t>(std::countr_one(piece_.mask >> first));
    piece_.mask = bytes == 64 ? 0 : piece_.mask & ~(((std::uint64_t{1} << bytes) - 1) << first);
    return {piece_.address + first, std::span(piece_.data).subspan(first, bytes), piece_told_};
}

/// Uniform but for what 2^32 leaves as a remainder.
std::uint32_t LineEviction::below(std::size_t end) {
    if (end <= 1) return 0;
    const std::uint64_t bits = random_.bits(RandomStream::buffer_eviction, core_, draws_++, 0);
    return static_cast<std::uint32_t>((bits >> 32U) * end >> 32U);
}

}  // namespace rnicsim
