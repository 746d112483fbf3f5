// SPDX-License-Identifier: Apache-2.0
// The function that one here stands in front of: libc's, or that of an object loaded later.
#pragma once

#include <dlfcn.h>

#include <atomic>

namespace rnicsim::programs {

template <class Function>
class Next {
  public:
    explicit constexpr Next(const char* name) : name_(name) {}
    template <class... Arguments>
    auto operator()(Arguments... arguments) {
        Function* found = found_.load(std::memory_order_relaxed);
        if (found == nullptr) {
            found = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name_));
            found_.store(found, std::memory_order_relaxed);
        }
        return found(arguments...);
    }

  private:
    const char* name_;
    std::atomic<Function*> found_{nullptr};
};

}  // namespace rnicsim::programs
