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
    // Of applications and of streams.
    registration,
    deregistration,
    touch,  ///< pages written for the first time
    call,   ///< of another process of the host, and its answer
    copy,   ///< of memory, also between a program and a socket
    syscall,
    epoll,
    stream_tx,  ///< pieces given to the card
    stream_rx   ///< segments taken from it
};
inline constexpr std::array<std::string_view, 17> kChargeNames{
    "post",           "receive", "poll", "wake", "event_read", "arm",   "context_switch", "work",     "registration",
    "deregistration", "touch",   "call", "copy", "syscall",    "epoll", "stream_tx",      "stream_rx"};
/// Those in front of it are of messages and of what a program has to do for them.
inline constexpr std::size_t kMessageCharges = 8;

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
