// SPDX-License-Identifier: Apache-2.0
// What a host's costs come to, in numbers that others measure: 64 B from program to program by interrupts, and a stream
// that one core sends or receives. By the description of the hardware, not by its code: tests compare both.
#pragma once

#include "model/config.h"
#include "model/rnic/rc/end/end_config.h"

#include <cstdint>

namespace rnicsim {

/// Of two hosts as this one with a link as its own between them, and nothing else.
class CheckLines {
  public:
    static constexpr std::uint32_t kBytes = 64;

    CheckLines(const VerbsEndConfig& host, const LinkConfig& link) : host_(host), link_(link) {}

    /// Half of a round of kBytes each way by a stream that is there: send(), and the other program has read it.
    /// `from`: when the round begins, as clocks and wire have edges of their own.
    [[nodiscard]] Time stream(Time from = kMicrosecond) const;
    /// The same by SENDs, each of whose receivers waits for an interrupt and posts its receive WQE again.
    [[nodiscard]] Time verbs(Time from = kMicrosecond) const;
    // Of a stream in the kernel: its ACKs are few.
    /// Gb/s of payload of one core that does nothing but send: pieces of a buffer that caches do not hold, each
    /// acknowledged once. Calls are left out. 0: the core does not bound it.
    [[nodiscard]] double sends() const;
    /// The same of one that receives, in segments as long as `gro` lets them be, if its window never keeps the sender
    /// waiting: with one of 1 MiB 3 % less.
    [[nodiscard]] double receives() const;

  private:
    [[nodiscard]] Time streamed(Time from) const;
    [[nodiscard]] Time sent(Time from) const;
    [[nodiscard]] double rate(std::uint32_t bytes, Cycle cost) const;

    const VerbsEndConfig& host_;
    const LinkConfig& link_;
};

}  // namespace rnicsim
