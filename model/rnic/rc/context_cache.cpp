// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/context_cache.h"

#include <cassert>

namespace rnicsim::rc {
namespace {

std::uint32_t bytes_of(LineKind kind) { return kLineBytes[static_cast<std::size_t>(kind)]; }

/// Contexts change when they are used; regions and pages are only read.
bool changes(LineKind kind) { return kind == LineKind::qp || kind == LineKind::cq; }

/// Numbers of each kind begin at 0 and go on by one: a hash keeps them apart (the finaliser of MurmurHash3).
std::uint64_t mixed(LineKind kind, std::uint32_t number) {
    std::uint64_t x = (std::uint64_t{static_cast<std::uint8_t>(kind)} + 1) << 32U | number;
    x = (x ^ x >> 33U) * 0xFF51'AFD7'ED55'8CCD;
    x = (x ^ x >> 33U) * 0xC4CE'B9FE'1A85'EC53;
    return x ^ x >> 33U;
}

}  // namespace

LineId ContextCache::add(LineKind kind, std::uint32_t number) {
    const LineId id{static_cast<std::uint32_t>(lines_.size())};
    Line line;
    line.kind = kind;
    line.set = static_cast<std::uint32_t>(mixed(kind, number) % sets_.size());
    lines_.push_back(line);
    put(id);
    lines_.back().dirty = false;  // the driver has written it to memory as well
    return id;
}

void ContextCache::renew(LineId id) {
    if (!has(id)) put(id);
    lines_[static_cast<std::uint32_t>(id)].dirty = false;
}

bool ContextCache::touch(LineId id) {
    const auto number = static_cast<std::uint32_t>(id);
    Line& line = lines_[number];
    if (!line.there) return false;
    line.dirty = changes(line.kind);
    if (line.newer == kNone) return true;
    unlink(number);
    link(number);
    return true;
}

std::span<const LineId> ContextCache::put(LineId id) {
    const auto number = static_cast<std::uint32_t>(id);
    Line& line = lines_[number];
    assert(!line.there);
    written_back_.clear();
    make_room(sets_[line.set], bytes_of(line.kind));
    sets_[line.set].bytes += bytes_of(line.kind);
    line.there = true;
    line.dirty = changes(line.kind);
    link(number);
    return written_back_;
}

void ContextCache::make_room(Set& set, std::uint32_t bytes) {
    while (set.bytes + bytes > kSetBytes) {
        const std::uint32_t number = set.oldest;
        Line& line = lines_[number];
        if (line.dirty) written_back_.push_back(LineId{number});
        unlink(number);
        line.there = line.dirty = false;
        set.bytes -= bytes_of(line.kind);
        all_fit_ = false;
    }
}

void ContextCache::link(std::uint32_t number) {
    Line& line = lines_[number];
    Set& set = sets_[line.set];
    line.newer = kNone;
    line.older = set.newest;
    if (set.newest == kNone) {
        set.oldest = number;
    } else {
        lines_[set.newest].newer = number;
    }
    set.newest = number;
}

void ContextCache::unlink(std::uint32_t number) {
    const Line& line = lines_[number];
    Set& set = sets_[line.set];
    (line.newer == kNone ? set.newest : lines_[line.newer].older) = line.older;
    (line.older == kNone ? set.oldest : lines_[line.older].newer) = line.newer;
}

}  // namespace rnicsim::rc
