// SPDX-License-Identifier: Apache-2.0
// What this library does not have: it says so once, and the call fails with EOPNOTSUPP.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <type_traits>

namespace rnicsim::programs {

/// Returns EOPNOTSUPP, which errno is then, too.
int refuse(const char* name, std::atomic<bool>& said);

/// A text as a parameter of a template.
template <std::size_t size>
struct Text {
    constexpr Text(const char (&text)[size]) { std::copy_n(text, size, letters); }  // NOLINT: implicit on purpose
    char letters[size];
};

/// Stands for any function: Refused<"ibv_alloc_mw">{} as a value of a function pointer. A function that returns a
/// pointer returns null, others return EOPNOTSUPP.
template <Text name>
class Refused {
    template <class Result, class... Arguments>
    using Function = Result (*)(Arguments...);

  public:
    template <class Result, class... Arguments>
    operator Function<Result, Arguments...>() const {  // NOLINT: implicit on purpose
        return [](Arguments...) -> Result {
            [[maybe_unused]] const int error = refuse(name.letters, said);
            if constexpr (std::is_pointer_v<Result>) return nullptr;
            if constexpr (std::is_same_v<Result, int>) return error;
        };
    }

  private:
    static inline std::atomic<bool> said{false};
};

}  // namespace rnicsim::programs
