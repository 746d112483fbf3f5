// SPDX-License-Identifier: Apache-2.0
// Where the lines of an item lie over time, on the way into persistent memory, and which of them a power cut would
// lose.
#pragma once

#include "testbench/events/event_log.h"
#include "testbench/observe/ladder.h"
#include "testbench/workloads/persistence/line_versions.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace rnicsim {

class PersistStays {
  public:
    static constexpr std::size_t kStages = kStageLanes;
    /// Behind everything that is due at `at`.
    struct State {
        Time at;
        std::array<std::uint32_t, kStages> lines{};    ///< of the item, by stage: IIO, LLC, iMC, SCM
        std::array<std::uint32_t, kStages> unsafe{};   ///< ... that a power cut would lose
        std::array<std::uint32_t, kStages> entered{};  ///< ... that have come so far
        bool safe = false;                             ///< all of its bytes have come, and none would be lost
    };

    /// `bytes`: of the item.
    PersistStays(Domain domain, std::uint64_t bytes) : domain_(domain), bytes_(bytes) {}

    /// Of lines of the item, in the order of the events. `own`: it is the item's write; else another's of its lines.
    void add(const LineStep& step, Time at, bool own);
    /// When what is known by now is over: kEndOfTime, if one of its lines has still to leave for where it lasts, or an
    /// older version may still come over it.
    [[nodiscard]] Time settled() const;
    /// All of its bytes have come, or will.
    [[nodiscard]] bool whole() const { return own_bytes_ >= bytes_; }
    /// Writes of lines that are the item's.
    [[nodiscard]] std::uint32_t writes() const { return own_; }
    /// All changes, by time.
    [[nodiscard]] std::vector<State> states() const;

  private:
    struct Write {
        LineStep step;  // as it was told of first
        bool own = false;
        std::array<Time, kStages> enters{kEndOfTime, kEndOfTime, kEndOfTime, kEndOfTime};
    };
    struct Entry {
        Time at;
        WriteStage stage = WriteStage::nowhere;
        std::uint64_t line = 0, number = 0;
    };

    const Domain domain_;
    const std::uint64_t bytes_;
    std::map<std::uint64_t, std::map<std::uint64_t, Write>> lines_;  // by address, then by number
    std::vector<Entry> entries_;                                     // as they were told of
    std::uint32_t own_ = 0;
    std::uint64_t own_bytes_ = 0;
};

}  // namespace rnicsim
