// SPDX-License-Identifier: Apache-2.0
// B6, start-up: how the drivers of a bridge's two hosts open its windows. The part of one of them, which neither waits
// nor knows of time.
//
// It writes into the other host's scratchpads what memory it offers, then how far it is, and rings doorbell 0:
//   here   the offer stands
//   open   it has seen the other one's: its own window leads there
//   ready  the other window is open as well
// Who sees that the other one is behind says it again. So does who is not ready, each kAgain: what is written while the
// link is down, or scratchpads are stuck, is lost, and may be a part of an offer, which has a check. Doorbells that
// have merged lose nothing, as it is the words that count. Registers and doorbell 0 are DPDK's (ntb_hw_intel.h, ntb.h);
// that has no word for a window that is open.
#pragma once

#include "tlm/time/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rnicsim::ntb {

class Handshake {
  public:
    enum class State : std::uint32_t { nothing, here, open, ready };
    /// Of its host's memory, behind one window of the other one.
    struct Offer {
        std::uint64_t address = 0, bytes = 0;
    };
    /// To a register of its own side.
    struct Write {
        std::uint64_t offset = 0, word = 0;
        std::uint32_t bytes = 0;  ///< 4 or 8
    };
    static constexpr std::uint32_t kDoorbell = 0;
    /// Scratchpads: how far it is, then the offer, low halves first, and its check.
    static constexpr std::size_t kWords = 6;
    using Words = std::array<std::uint32_t, kWords>;
    /// How long who is not ready waits before it says it again: as Linux' ntb_transport does (NTB_LINK_DOWN_TIMEOUT).
    static constexpr Time kAgain = kMillisecond * 10;

    /// `window`: the first byte of its own, for its host, and its length.
    Handshake(const Offer& mine, const Offer& window) : mine_(mine), window_(window) {}

    [[nodiscard]] State state() const { return state_; }
    /// All that it has to say, and the doorbell.
    [[nodiscard]] std::vector<Write> say() const;
    /// The doorbell has been rung: so many of its scratchpads, from the first one on, are to be read.
    [[nodiscard]] std::size_t to_read() const { return state_ == State::here ? kWords : 1; }
    /// They have been.
    [[nodiscard]] std::vector<Write> saw(std::span<const std::uint32_t> scratchpads);

  private:
    [[nodiscard]] Words words() const;
    [[nodiscard]] static std::uint32_t check_of(std::span<const std::uint32_t> words);

    Offer mine_, window_;
    State state_ = State::here;
};

}  // namespace rnicsim::ntb
