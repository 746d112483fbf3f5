// SPDX-License-Identifier: Apache-2.0
// A message that goes past the LLC, and whose lines nobody else writes meanwhile: what a cut finds of it depends only
// on when its first and its last line write have entered the iMC.
#pragma once

#include "testbench/records/line_write.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace rnicsim {

/// From one line to another, both of them.
struct LineRange {
    std::uint64_t first = 0, last = 0;
};

class LoneWrites {
  public:
    /// `room`: of another one that is over.
    explicit LoneWrites(std::vector<LineWrite> room = {}) : writes_(std::move(room)) { writes_.clear(); }

    /// One that goes past the LLC, behind the others, and writes no byte again.
    [[nodiscard]] bool accepts(const LineWrite& write) const {
        if (write.llc != kEndOfTime || write.adr == kEndOfTime) return false;
        return writes_.empty() || write.line > writes_.back().line ||
               (write.line == writes_.back().line && (write.mask & last_line_) == 0);
    }
    /// Precondition: accepts it.
    void add(const LineWrite& write) {
        const bool same = !writes_.empty() && write.line == writes_.back().line;
        last_line_ = write.mask | (same ? last_line_ : 0);
        writes_.push_back(write);
        posted_ = std::min(posted_, write.posted);
        first_ = std::min(first_, write.adr);
        last_ = std::max(last_, write.adr);
    }
    /// When the first of them enters the IIO, and the iMC; kEndOfTime: there is none. When the last has entered that.
    [[nodiscard]] Time posted() const { return posted_; }
    [[nodiscard]] Time first() const { return first_; }
    [[nodiscard]] Time last() const { return last_; }

    [[nodiscard]] const std::vector<LineWrite>& writes() const { return writes_; }
    /// What it has written is somebody else's.
    std::vector<LineWrite> take() { return std::move(writes_); }

    /// Of those in the IIO the one that came first.
    [[nodiscard]] const LineWrite* in_iio(Time now) const {
        const LineWrite* found = nullptr;
        for (const LineWrite& write : writes_) {
            if (write.posted <= now && now < write.adr && (found == nullptr || write.number < found->number))
                found = &write;
        }
        return found;
    }

  private:
    std::vector<LineWrite> writes_;  // as they were booked
    Time posted_ = kEndOfTime, first_ = kEndOfTime, last_;
    std::uint64_t last_line_ = 0;  // its bytes that are written
};

/// Which message has which lines for itself.
class LoneRanges {
  public:
    void add(LineRange range, std::uint64_t message) { ranges_[range.first] = {range.last, message}; }
    void remove(LineRange range) { ranges_.erase(range.first); }
    /// One that has some of these lines.
    [[nodiscard]] std::optional<std::uint64_t> owner(LineRange of) const {
        const auto behind = ranges_.upper_bound(of.last);
        if (behind == ranges_.begin()) return {};
        const auto& [last, message] = std::prev(behind)->second;
        return last >= of.first ? std::optional(message) : std::nullopt;
    }
    [[nodiscard]] bool empty() const { return ranges_.empty(); }

  private:
    struct Range {
        std::uint64_t last, message;
    };
    std::map<std::uint64_t, Range> ranges_;  // by first line, apart
};

}  // namespace rnicsim
