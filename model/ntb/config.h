// SPDX-License-Identifier: Apache-2.0
// Resolved parameters of a non-transparent bridge: two root ports, back to back.
#pragma once

#include "model/faults/config.h"
#include "tlm/time/time.h"

#include <array>
#include <cstdint>
#include <string>

namespace rnicsim::ntb {

/// What the receiver of a link has room for. A unit of data is 16 bytes (PCI Express Base Specification 2.6.1).
struct CreditConfig {
    std::uint32_t headers = 64;  ///< of posted TLPs. Assumed: 64 lines cover the round trip at 80 Gb/s, 32 barely
    std::uint32_t data = 1024;   ///< units
};

struct Config {
    std::string name = "bridge";
    std::array<unsigned, 2> between{0, 1};                        ///< hosts, by side
    std::uint32_t generation = 3, lanes = 16, max_payload = 256;  ///< of the link; the thesis has Gen3 x16
    std::int64_t rate = 0;   ///< of the payload, bits a second, each direction; 0: as fast as the link
    Time latency{80'000};    ///< one way, last byte sent -> at the other side. Assumed: below a switch's 300 ns
    Time translate{16'000};  ///< of each side, both ways. Assumed
    CreditConfig credits{};
    std::uint32_t windows = 1;             ///< 1 or 2
    std::uint64_t window = 512ULL << 20U;  ///< bytes of each, a power of two; Intel's driver: 512 MiB
    Time scratchpads_stuck{};              ///< after the link has gone down they keep their values for so long
    bool start_up = false;                 ///< drivers open the windows (B6); else they are open from the beginning
    LinkDownConfig down{};                 ///< of the link, both ways
};

/// Of the interrupts of a host's first bridge; each has kVectors.
inline constexpr std::uint32_t kFirstVector = 1U << 29U, kVectors = 64;
inline constexpr std::uint32_t kLinkBit = 32;  ///< of its status, and of those: the link has gone up or down

/// Bytes of BAR 0, the registers'.
inline constexpr std::uint64_t kRegisterBytes = 64ULL << 10U;

}  // namespace rnicsim::ntb
