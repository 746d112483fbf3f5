// SPDX-License-Identifier: Apache-2.0
// What a connection of an application costs, counted: at each of its ends.
#pragma once

#include "model/rnic/rc/verbs.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rnicsim::applications {

enum class Count : std::uint8_t {
    sends,            ///< work requests: SEND with and without immediate
    writes,           ///< ... WRITE, likewise
    reads,            ///< ... READ
    atomics,          ///< ... COMPARE SWAP, FETCH ADD
    unsignaled,       ///< ... of all: those that ask for no completion
    solicited,        ///< ... that wake who waits for such
    receives,         ///< receive WQEs that have been used
    payload_packets,  ///< packets with payload that its card sends, if nothing is sent again
    registrations,    ///< of memory, while the run goes on
    deregistrations,
    copied_bytes,   ///< by its processor, without what calls of streams copy
    calls,          ///< of other processes
    system_calls,   ///< without those of streams
    stream_sends,   ///< calls of send()
    stream_bytes,   ///< ... in all
    checked_bytes,  ///< of the user's data, that it has looked at
    stored_bytes,   ///< to the other host's memory, through a bridge
    fences,         ///< behind those
    pushes,         ///< of how far a ring has been read
    setups,         ///< of connections, while the run goes on: its host's part
    count
};
inline constexpr std::size_t kCounts = static_cast<std::size_t>(Count::count);
inline constexpr std::array<std::string_view, kCounts> kCountNames{
    "sends",           "writes",        "reads",           "atomics",      "unsignaled", "solicited",    "receives",
    "payload_packets", "registrations", "deregistrations", "copied_bytes", "calls",      "system_calls", "stream_sends",
    "stream_bytes",    "checked_bytes", "stored_bytes",    "fences",       "pushes",     "setups"};

/// Of work requests.
constexpr Count count_of(rc::Verb verb) {
    if (rc::is_atomic(verb)) return Count::atomics;
    if (verb == rc::Verb::read) return Count::reads;
    return rc::is_write(verb) ? Count::writes : Count::sends;
}

class EndCounts {
  public:
    void add(Count what, std::uint64_t value = 1) { of_[static_cast<std::size_t>(what)] += value; }
    [[nodiscard]] std::uint64_t operator[](Count what) const { return of_[static_cast<std::size_t>(what)]; }
    friend bool operator==(const EndCounts&, const EndCounts&) = default;

  private:
    std::array<std::uint64_t, kCounts> of_{};
};

/// The end that asks, the end that answers.
using Counts = std::array<EndCounts, 2>;

}  // namespace rnicsim::applications
