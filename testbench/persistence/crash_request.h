// A crash of an initiator, of which somebody wants to know what it leaves at the responders.
#pragma once

#include "tlm/time/time.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace rnicsim {

enum class CrashOf : std::uint8_t {
    host,    ///< its processor does nothing more; its card goes on with what it has been given
    system,  ///< ... and no frame leaves it any more
};
inline constexpr std::array<std::string_view, 2> kCrashNames{"host", "system"};

struct CrashRequest {
    Time at = kEndOfTime;  ///< what was due before has happened; kEndOfTime: it does not crash
    unsigned host = 0;
    CrashOf of = CrashOf::host;

    [[nodiscard]] bool asked() const { return at != kEndOfTime; }
};

}  // namespace rnicsim
