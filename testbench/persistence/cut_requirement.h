// What a ledger is told has to be possible.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace rnicsim {

/// Throws std::invalid_argument with these words, as of fmt::format, if it does not hold.
template <typename... Of>
inline void require_of_cut(bool holds, fmt::format_string<Of...> what, Of&&... of) {
    if (holds) [[likely]]
        return;
    [&] [[gnu::cold, gnu::noinline]] {
        throw std::invalid_argument("power cut: " + fmt::format(what, std::forward<Of>(of)...));
    }();
}

}  // namespace rnicsim
