// SPDX-License-Identifier: Apache-2.0
// What a run says about a power cut at each of its instants.
#pragma once

#include "testbench/records/line_write.h"
#include "tlm/time/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rnicsim {

/// What can be the matter with a message at a cut.
enum class CutState : std::uint8_t {
    vulnerable,         ///< its program was told that it is written, and it is not safe
    unproven,           ///< told that it is written, not yet that it is persistent
    torn,               ///< some of its line writes are safe, and not all
    false_persistence,  ///< told that it is persistent, and it is not safe
    inverted,           ///< safe, while one that was posted before it on its connection is not
};
inline constexpr std::size_t kCutStates = 5;
inline constexpr std::array<std::string_view, kCutStates> kCutStateNames{"vulnerable", "unproven", "torn", "false",
                                                                         "inverted"};

/// A cut behind `time`, until the next row's time and at that, too: what is due at an instant has not happened when the
/// power goes at it.
struct CutRow {
    Time time;
    std::uint64_t iio_bytes = 0, llc_bytes = 0, imc_bytes = 0;  ///< that would be lost there
    std::array<std::uint64_t, kCutStates> messages{};           ///< by CutState

    [[nodiscard]] std::uint64_t of(CutState state) const { return messages.at(static_cast<std::size_t>(state)); }
    /// Apart from when.
    [[nodiscard]] bool is_like(const CutRow& other) const {
        return iio_bytes == other.iio_bytes && llc_bytes == other.llc_bytes && imc_bytes == other.imc_bytes &&
               messages == other.messages;
    }
};

/// When what happened to a message. kEndOfTime: not until the run's end.
struct CutMessage {
    std::uint64_t id = 0, connection = 0, order = 0;
    Time first = kEndOfTime;  ///< its first line write enters the IIO
    Time safe = kEndOfTime;   ///< from then on it is safe, and stays so
    Time told_written = kEndOfTime, told_persisted = kEndOfTime;
};

/// Hears the fold as it goes on, so that nobody has to keep it.
class CutObserver {
  public:
    virtual ~CutObserver() = default;
    /// Rows differ, and come by time.
    virtual void row(const CutRow& /*row*/) {}
    /// Nothing changes for this message any more.
    virtual void message(const CutMessage& /*message*/) {}
};

/// The first message of which a program was told too much.
struct FalseExample {
    Time at;  ///< a cut behind it loses data
    std::uint64_t message = 0;
    std::uint64_t connection = 0, order = 0;  ///< of it
    std::optional<std::uint64_t> line;        ///< none: its line writes are safe as far as there are any
    WriteStage stage = WriteStage::nowhere;   ///< in which the line's write is
    bool overwritten = false;                 ///< it was durable, and an older version has come over it
};

struct CutReport {
    struct Total {
        Time time;                   ///< in which there is at least one such message
        Time of_messages;            ///< the same, summed over messages
        std::uint64_t at_once = 0;   ///< most of them
        std::uint64_t messages = 0;  ///< that ever were; of `inverted` not counted
    };

    Time first, end;  ///< from the first event to where the run ends
    std::array<Total, kCutStates> totals{};
    std::optional<FalseExample> false_example;

    [[nodiscard]] const Total& of(CutState state) const { return totals.at(static_cast<std::size_t>(state)); }
    /// Of a cut at a random instant: the chance that there is such a message.
    [[nodiscard]] double share(CutState state) const {
        return end > first ? static_cast<double>(of(state).time.ps) / static_cast<double>((end - first).ps) : 0;
    }
};

/// What a run says of a host.
struct HostCuts {
    unsigned host = 0;
    CutReport report;
    std::string example;  ///< in words: the first item of which its initiator was told too much; empty: there is none
    std::string item;     ///< its name
};

}  // namespace rnicsim
