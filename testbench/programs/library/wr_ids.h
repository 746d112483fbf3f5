// SPDX-License-Identifier: Apache-2.0
// The wr_ids of what is posted, by the index of the work request in its queue (mod 2^32). They tell how full it is,
// too.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>

namespace rnicsim::programs {

/// Of a queue that completes in order: who posts and who polls need no common lock.
class WrRing {
  public:
    WrRing() = default;
    WrRing(const WrRing&) = delete;
    WrRing& operator=(const WrRing&) = delete;
    ~WrRing() { std::free(ids_); }

    /// False: there is no memory.
    bool make(std::uint32_t wqes) {
        wqes_ = wqes;
        mask_ = std::bit_ceil(wqes + 1) - 1;
        ids_ = static_cast<std::uint64_t*>(std::calloc(mask_ + std::size_t{1}, sizeof *ids_));
        return ids_ != nullptr;
    }
    [[nodiscard]] std::uint32_t wqes() const { return wqes_; }
    [[nodiscard]] bool has_room(std::uint32_t more) const { return posted_.load() - completed_.load() + more <= wqes_; }
    [[nodiscard]] std::uint32_t next() const { return posted_.load(); }
    void put(std::uint64_t id) {
        ids_[posted_.load() & mask_] = id;
        posted_.fetch_add(1);
    }
    /// What had this index; it and all before it are done, as those that are not signaled have no completion.
    [[nodiscard]] bool take(std::uint32_t index, std::uint64_t& id) {
        if (index - completed_.load() >= posted_.load() - completed_.load()) return false;
        id = ids_[index & mask_];
        completed_.store(index + 1);
        return true;
    }
    void clear() {
        posted_.store(0);
        completed_.store(0);
    }

  private:
    std::uint64_t* ids_ = nullptr;
    std::uint32_t wqes_ = 0;
    std::uint32_t mask_ = 0;
    std::atomic<std::uint32_t> posted_{0};
    std::atomic<std::uint32_t> completed_{0};
};

/// Of an SRQ, which completes in any order: a hash table with linear probing. Whoever uses it holds a lock.
class WrTable {
  public:
    WrTable() = default;
    WrTable(const WrTable&) = delete;
    WrTable& operator=(const WrTable&) = delete;
    ~WrTable() { std::free(places_); }

    /// Also of another size, with what it holds. False: there is no memory, and nothing has changed.
    bool make(std::uint32_t wqes) {
        const std::uint32_t size = std::bit_ceil(2 * wqes + 2);
        auto* const places = static_cast<Place*>(std::calloc(size, sizeof(Place)));
        if (places == nullptr) return false;
        Place* const before = places_;
        const std::uint32_t size_before = before == nullptr ? 0 : mask_ + 1;
        places_ = places;
        mask_ = size - 1;
        wqes_ = wqes;
        for (std::uint32_t at = 0; at < size_before; ++at) {
            if (before[at].used) insert(before[at].index, before[at].id);
        }
        std::free(before);
        return true;
    }
    [[nodiscard]] bool has_room(std::uint32_t more) const { return held_ + more <= wqes_; }
    [[nodiscard]] std::uint32_t held() const { return held_; }
    [[nodiscard]] std::uint32_t next() const { return posted_; }
    void put(std::uint64_t id) {
        insert(posted_++, id);
        ++held_;
    }
    [[nodiscard]] bool take(std::uint32_t index, std::uint64_t& id) {
        std::uint32_t at = index & mask_;
        while (places_[at].used && places_[at].index != index) at = (at + 1) & mask_;
        if (!places_[at].used) return false;
        id = places_[at].id;
        --held_;
        close_gap(at);
        return true;
    }

  private:
    struct Place {
        std::uint64_t id;
        std::uint32_t index;
        bool used;
    };

    void insert(std::uint32_t index, std::uint64_t id) {
        std::uint32_t at = index & mask_;
        while (places_[at].used) at = (at + 1) & mask_;
        places_[at] = {id, index, true};
    }
    // What was put behind a place because that was used moves up, so that a search may stop at a free one.
    void close_gap(std::uint32_t gap) {
        for (std::uint32_t at = (gap + 1) & mask_; places_[at].used; at = (at + 1) & mask_) {
            const std::uint32_t home = places_[at].index & mask_;
            if (((at - home) & mask_) < ((at - gap) & mask_)) continue;
            places_[gap] = places_[at];
            gap = at;
        }
        places_[gap].used = false;
    }

    Place* places_ = nullptr;
    std::uint32_t mask_ = 0;
    std::uint32_t wqes_ = 0;
    std::uint32_t held_ = 0;
    std::uint32_t posted_ = 0;
};

}  // namespace rnicsim::programs
