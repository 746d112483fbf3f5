// SPDX-License-Identifier: Apache-2.0
// What a host pays for TCP, and how large its pieces are. Times in cycles of its clock.
#pragma once

#include "tlm/time/cycle.h"
#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim {

/// Where TCP runs.
enum class TcpPlace : std::uint8_t {
    kernel,  ///< behind system calls and interrupts
    user     ///< in the program, which polls the card: no system calls, interrupts or wakings
};

struct TcpConfig {
    Cycle tx{};           ///< processor: a piece of at most `gso` bytes goes to the card
    Cycle rx{};           ///< processor: a segment of at most `gro` bytes comes from the card
    Cycle frame{};        ///< ... and on top of it each frame of it; an ACK without data costs this alone
    Cycle extra_write{};  ///< processor: on top of each send()
    Time moderation{};    ///< from a frame that comes to the interrupt that tells of it
    std::uint32_t gso = 65536, gro = 65536;
    std::uint32_t window = 1U << 20U;  ///< bytes that are sent and not acknowledged, or come and not read
    std::uint32_t mtu = 1500;
    TcpPlace place = TcpPlace::kernel;
};

/// Of `tx` and `rx` in a program, as much is left: 3 of 10 parts (no skb, no softirq).
constexpr Cycle in_user_space(Cycle cost) { return {(cost.n * 3 + 5) / 10}; }

/// IPv4 and TCP with timestamps, of each frame with data.
inline constexpr std::uint32_t kTcpOverhead = 52;

/// The longest payload of a frame.
constexpr std::uint32_t segment_of(const TcpConfig& config) { return config.mtu - kTcpOverhead; }

/// What the card gets at once: whole frames, if it is more than one.
constexpr std::uint32_t piece_of(const TcpConfig& config) {
    const std::uint32_t segment = segment_of(config);
    return config.gso < segment ? config.gso : config.gso - config.gso % segment;
}

}  // namespace rnicsim
