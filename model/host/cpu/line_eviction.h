// SPDX-License-Identifier: Apache-2.0
// Which write-combining buffers of a core leave, when, and in which order their bytes go to the port. Plain logic: time
// is passed in.
#pragma once

#include "model/host/cpu/store_config.h"
#include "model/host/cpu/write_combining.h"
#include "model/random.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rnicsim {

class LineEviction {
  public:
    /// `core`: its number among those whose draws `random` has.
    LineEviction(const StoreConfig& config, const RandomSource& random, std::uint64_t core)
        : config_(config), random_(random), core_(core), buffers_(config.wc) {}

    /// Of one line. A full one leaves at once. Without a buffer one leaves, unless some do already; the store has to
    /// come again when a line has left.
    WriteCombining::Stored store(Time at, std::uint64_t address, std::span<const std::uint8_t> bytes);
    /// All leave.
    void drain(Time at);
    /// The line of this address leaves.
    void drain_line(Time at, std::uint64_t address);
    /// When all leave because one has been held for so long; kEndOfTime: never.
    [[nodiscard]] Time held_until() const { return held_.empty() ? kEndOfTime : held_.front().since + config_.hold; }

    [[nodiscard]] bool empty() const { return buffers_.empty() && piece_.mask == 0; }
    [[nodiscard]] bool has_line(std::uint64_t address) const;
    /// When the next bytes may go to the port; kEndOfTime: none leave.
    [[nodiscard]] Time next_ready() const;
    /// The line that they are of. Stays so until they go. Precondition: next_ready() <= now.
    std::uint64_t next_line(Time now);

    struct Bytes {
        std::uint64_t address = 0;
        std::span<const std::uint8_t> bytes;  ///< valid until the next call
        Time told;                            ///< when their line was told to leave
    };
    /// They go: those of a piece up to a hole. Bytes behind a hole are a MWr of their own, though the byte enables of
    /// PCIe could do with one in a chunk. Precondition: next_line() has been asked.
    Bytes take();

  private:
    struct Leaving {
        std::uint64_t line = 0;
        Time ready, told;
    };
    struct Held {
        std::uint64_t line = 0;
        Time since;
    };
    void leave(Time at, std::size_t buffer);
    /// Of those that do not leave yet. Precondition: there is one.
    [[nodiscard]] std::size_t victim();
    [[nodiscard]] std::size_t staying() const { return buffers_.buffers().size() - leaving_.size(); }
    [[nodiscard]] std::uint32_t below(std::size_t end);

    const StoreConfig config_;
    const RandomSource random_;
    const std::uint64_t core_;
    std::uint64_t draws_ = 0;
    WriteCombining buffers_;
    std::vector<Leaving> leaving_;     // in the order in which they have been told to
    std::optional<std::size_t> next_;  // of them
    WriteCombining::Piece piece_;      // that goes now: what is left of it
    Time piece_told_;
    std::vector<Held> held_;  // the others, by time, if that matters
};

}  // namespace rnicsim
