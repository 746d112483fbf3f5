// SPDX-License-Identifier: Apache-2.0
// Which entries of the card's page table, the MTT, are whose: a region's lie one behind the other, and come back when
// it ends. The first gap that is long enough is taken, so a table that is used again and again does not grow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>

namespace rnicsim::rc {

class PageEntries {
  public:
    struct Piece {
        std::uint64_t first = 0, count = 0;
    };
    /// Nothing: there is no room.
    std::optional<Piece> take(std::uint64_t count) {
        if (count == 0) return Piece{};
        const auto gap = std::ranges::find_if(gaps_, [count](const auto& g) { return g.second >= count; });
        if (gap == gaps_.end()) return take_behind(count);
        const Piece taken{gap->first, count};
        const std::uint64_t left = gap->second - count;
        gaps_.erase(gap);
        if (left != 0) gaps_.emplace(taken.first + count, left);
        return taken;
    }
    void give_back(Piece piece) {
        if (piece.count == 0) return;
        auto after = gaps_.lower_bound(piece.first);
        if (after != gaps_.begin()) {
            const auto before = std::prev(after);
            if (before->first + before->second == piece.first) {
                piece = {before->first, before->second + piece.count};
                gaps_.erase(before);
            }
        }
        if (after != gaps_.end() && after->first == piece.first + piece.count) {
            piece.count += after->second;
            gaps_.erase(after);
        }
        gaps_.emplace(piece.first, piece.count);
    }
    void set_most(std::uint64_t most) { most_ = most; }
    /// Behind the last one that has ever been used.
    [[nodiscard]] std::uint64_t end() const { return end_; }

  private:
    /// In the last gap, if it reaches to the end, and behind it.
    std::optional<Piece> take_behind(std::uint64_t count) {
        auto last = gaps_.empty() ? gaps_.end() : std::prev(gaps_.end());
        if (last != gaps_.end() && last->first + last->second != end_) last = gaps_.end();
        const std::uint64_t first = last == gaps_.end() ? end_ : last->first;
        if (first > most_ || count > most_ - first) return {};
        if (last != gaps_.end()) gaps_.erase(last);
        end_ = first + count;
        return Piece{first, count};
    }

    std::map<std::uint64_t, std::uint64_t> gaps_;  // by their first entry: how many
    std::uint64_t end_ = 0;
    std::uint64_t most_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace rnicsim::rc
