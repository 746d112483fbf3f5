// SPDX-License-Identifier: Apache-2.0
// What a host's processor works for.
#pragma once

#include "tlm/time/cycle.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

namespace rnicsim {

enum class Charge : std::uint8_t {
    post,        ///< send WQEs, written to the card or told of
    receive,     ///< receive WQEs
    poll,        ///< completions taken, or bytes seen that have changed
    wake,        ///< a thread is run that slept
    event_read,  ///< events taken from completion channels
    arm,         ///< CQs asked for their next event
    context_switch,
    work,  ///< what the program itself does
    // Of streams.
    syscall,
    epoll,
    copy,       ///< between a program's memory and a socket
    stream_tx,  ///< pieces given to the card
    stream_rx   ///< segments taken from it
};
inline constexpr std::array<std::string_view, 13> kChargeNames{
    "post", "receive", "poll",  "wake", "event_read", "arm",      "context_switch",
    "work", "syscall", "epoll", "copy", "stream_tx",  "stream_rx"};
inline constexpr std::size_t kChargesWithoutStreams = 8;  ///< from there on those of streams

/// How long a processor has worked, by kind.
class Charges {
  public:
    void add(Charge kind, Cycle cost) { of_[static_cast<std::size_t>(kind)] += cost; }
    [[nodiscard]] Cycle of(Charge kind) const { return of_[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] Cycle all() const { return std::accumulate(of_.begin(), of_.end(), Cycle{}); }

  private:
    std::array<Cycle, kChargeNames.size()> of_{};
};

}  // namespace rnicsim
