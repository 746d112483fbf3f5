// SPDX-License-Identifier: Apache-2.0
// A crash of an initiator, of which somebody wants to know what it leaves at the responders.
#pragma once

#include "tlm/time/time.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace rnicsim {

enum class CrashOf : std::uint8_t {
    host,    ///< its processor does nothing more; its card goes on with what it has been given
    system,  ///< ... and no frame leaves it any more
};
inline constexpr std::array<std::string_view, 2> kCrashNames{"host", "system"};

struct CrashRequest {
    unsigned host = 0;
    CrashOf of = CrashOf::host;
    /// Rising. At each a copy of the run crashes: what was due before has happened.
    std::vector<Time> at = {};
    /// A copy is made so long before it crashes (CrashActs::lead); more is as good, and takes longer.
    Time lead = kEndOfTime;
    unsigned jobs = 1;                        ///< copies at once
    std::function<void()> on_copy = nullptr;  ///< hears of each that has come to rest
    bool lists = false;                       ///< instead: says when a crash makes a difference

    [[nodiscard]] bool asked() const { return lists || !at.empty(); }
};

/// When a host does something. Whenever it crashes between two of these, or at the later one, the same is left.
struct CrashActs {
    std::vector<Time> at;  ///< rising, each once
    Time lead;             ///< the link has been told of a frame so long before its end
};

/// What a crash leaves when all has come to rest: of the initiator's items, at all responders.
struct CrashLeft {
    Time at;
    std::uint64_t posted = 0, told = 0, durable = 0, torn = 0;
    std::uint64_t wrong = 0;  ///< told durable, and not
    friend bool operator==(const CrashLeft&, const CrashLeft&) = default;
};

}  // namespace rnicsim
