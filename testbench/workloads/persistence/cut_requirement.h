// SPDX-License-Identifier: Apache-2.0
// What a ledger is told has to be possible.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace rnicsim {

template <typename... Of>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_of_cut(fmt::format_string<Of...> what, Of&&... of) {
    throw std::invalid_argument("power cut: " + fmt::format(what, std::forward<Of>(of)...));
}

/// Throws std::invalid_argument with these words, as of fmt::format, if it does not hold.
template <typename... Of>
inline void require_of_cut(bool holds, fmt::format_string<Of...> what, Of&&... of) {
    if (!holds) [[unlikely]]
        refuse_of_cut(what, std::forward<Of>(of)...);
}

}  // namespace rnicsim
