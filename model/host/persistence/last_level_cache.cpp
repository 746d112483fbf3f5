// SPDX-License-Identifier: Apache-2.0
#include "model/host/persistence/last_level_cache.h"

#include <limits>
#include <utility>

namespace rnicsim {

LastLevelCache::LastLevelCache(const LlcConfig& config, const RandomSource& random, unsigned host)
    : evict_(config.evict),
      capacity_(config.evict == Eviction::never ? std::numeric_limits<std::size_t>::max()
                                                : static_cast<std::size_t>(config.capacity / kLineBytes)),
      random_(random),
      host_(host) {}

std::optional<LastLevelCache::Dirty> LastLevelCache::Copy::dirty() const {
    if (versions.empty()) return std::nullopt;
    Dirty all{versions.back().number, versions.back().enters, 0};
    for (const Version& version : versions) all.mask |= version.mask;
    return all;
}

const LastLevelCache::Copy* LastLevelCache::find(std::uint64_t line) const {
    const auto found = where_.find(line);
    return found == where_.end() ? nullptr : &ways_[found->second].copy;
}

const LastLevelCache::Copy* LastLevelCache::victim(std::uint64_t line) const {
    if (ways_.size() < capacity_ || where_.contains(line)) return nullptr;
    if (evict_ == Eviction::lru) return &ways_[oldest_].copy;
    return &ways_[random_.bits(RandomStream::llc_eviction, host_, evictions_, 0) % ways_.size()].copy;
}

void LastLevelCache::unlink(std::uint32_t way) {
    const auto [older, newer] = std::pair(ways_[way].older, ways_[way].newer);
    (older == kNone ? oldest_ : ways_[older].newer) = newer;
    (newer == kNone ? newest_ : ways_[newer].older) = older;
}

void LastLevelCache::use(std::uint32_t way) {
    ways_[way].older = newest_;
    ways_[way].newer = kNone;
    (newest_ == kNone ? oldest_ : ways_[newest_].newer) = way;
    newest_ = way;
}

void LastLevelCache::remove(std::uint64_t line) {
    const auto found = where_.find(line);
    const std::uint32_t way = found->second;
    where_.erase(found);
    unlink(way);
    const auto last = static_cast<std::uint32_t>(ways_.size() - 1);
    if (way != last) {  // the last one takes its place
        Way& moved = ways_[way] = std::move(ways_[last]);
        (moved.older == kNone ? oldest_ : ways_[moved.older].newer) = way;
        (moved.newer == kNone ? newest_ : ways_[moved.newer].older) = way;
        where_[moved.copy.line] = way;
    }
    ways_.pop_back();
}

void LastLevelCache::write(std::uint64_t line, bool scm, const Version& version, Time now) {
    const auto [found, is_new] = where_.try_emplace(line, static_cast<std::uint32_t>(ways_.size()));
    const std::uint32_t way = found->second;
    if (is_new) {
        ways_.push_back({{line, scm, {}}, kNone, kNone});
    } else {
        unlink(way);
    }
    use(way);
    std::vector<Version>& versions = ways_[way].copy.versions;
    while (versions.size() > 1 && versions[1].enters <= now) {  // they can only leave together
        versions[1].mask |= versions[0].mask;
        versions.erase(versions.begin());
    }
    // One with relaxed ordering may come before those that were booked earlier.
    auto place = versions.end();
    while (place != versions.begin() && version.enters < std::prev(place)->enters) --place;
    versions.insert(place, version);
}

std::optional<LastLevelCache::Dirty> LastLevelCache::clean(std::uint64_t line, Time now) {
    const auto found = where_.find(line);
    if (found == where_.end()) return std::nullopt;
    std::vector<Version>& versions = ways_[found->second].copy.versions;
    Dirty dirty;
    auto version = versions.begin();
    for (; version != versions.end() && version->enters <= now; ++version) {
        dirty.number = version->number;
        dirty.entered = version->enters;
        dirty.mask |= version->mask;
    }
    if (version == versions.begin()) return std::nullopt;
    versions.erase(versions.begin(), version);
    return dirty;
}

}  // namespace rnicsim
