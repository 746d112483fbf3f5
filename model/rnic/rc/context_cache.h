// SPDX-License-Identifier: Apache-2.0
// The on-chip memory of a card: which of the lines that lie in host memory it has. Contexts of QPs, entries of regions,
// page tables and contexts of CQs share one budget; sets, and in each the least recently used line leaves (V-K1, V-K2).
// No time, and no contents: the card's tables are the truth, this says what of them is at hand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rnicsim::rc {

enum class LineKind : std::uint8_t { qp, region, pages, cq };
inline constexpr std::size_t kLineKinds = 4;
inline constexpr std::array<std::string_view, kLineKinds> kLineKindNames{"qp", "region", "pages", "cq"};
inline constexpr std::array<std::uint32_t, kLineKinds> kLineBytes{384, 64, 64, 64};
inline constexpr std::uint32_t kLargestLine = 384;
inline constexpr std::uint32_t kPageEntryBytes = 8;  ///< of the MTT
inline constexpr std::uint32_t kPagesOfLine = 64 / kPageEntryBytes;

/// A line by its place in the order in which they were made.
enum class LineId : std::uint32_t {};

class ContextCache {
  public:
    static constexpr std::uint32_t kWays = 16;                        ///< QP contexts that a set holds
    static constexpr std::uint32_t kSetBytes = kWays * kLargestLine;  ///< ... or so many bytes of any lines

    /// Precondition: room for one set.
    explicit ContextCache(std::uint32_t bytes) : sets_(bytes / kSetBytes) {}

    /// Makes a line. It is on the card from the beginning, and may push out others (V-K3). `number`: among its kind.
    LineId add(LineKind kind, std::uint32_t number);
    /// The driver writes a line anew, for another object: the same, if it is not there.
    void renew(LineId line);
    [[nodiscard]] LineKind kind(LineId line) const { return at(line).kind; }
    [[nodiscard]] std::size_t lines() const { return lines_.size(); }
    /// Nothing has ever had to leave: whatever is asked for is there.
    [[nodiscard]] bool all_fit() const { return all_fit_; }

    /// Is it there? Then it is the most recently used one; a context is changed by each use.
    bool touch(LineId line);
    /// It has been read from memory, and is used. Returns those that leave and have been changed, valid until the next
    /// call. Precondition: it is not there.
    std::span<const LineId> put(LineId line);
    [[nodiscard]] bool has(LineId line) const { return at(line).there; }

  private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    struct Line {
        LineKind kind = LineKind::qp;
        bool there = false, dirty = false;
        std::uint32_t set = 0;
        std::uint32_t newer = kNone, older = kNone;  // its neighbours in the set
    };
    struct Set {
        std::uint32_t newest = kNone, oldest = kNone;
        std::uint32_t bytes = 0;
    };
    [[nodiscard]] const Line& at(LineId line) const { return lines_[static_cast<std::uint32_t>(line)]; }
    void link(std::uint32_t line);
    void unlink(std::uint32_t line);
    void make_room(Set& set, std::uint32_t bytes);

    std::vector<Set> sets_;
    std::vector<Line> lines_;
    std::vector<LineId> written_back_;
    bool all_fit_ = true;
};

}  // namespace rnicsim::rc
