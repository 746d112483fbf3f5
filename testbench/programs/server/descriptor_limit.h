// SPDX-License-Identifier: Apache-2.0
// Each thread of a program and each of its channels has a descriptor here: as many as the system lets this process
// have.
#pragma once

#include <sys/resource.h>

namespace rnicsim::programs {

namespace detail {
inline rlimit g_before{};
inline bool g_raised = false;
}  // namespace detail

inline void raise_descriptor_limit() {
    rlimit now{};
    if (detail::g_raised || ::getrlimit(RLIMIT_NOFILE, &now) != 0) return;
    detail::g_before = now;
    detail::g_raised = true;
    now.rlim_cur = now.rlim_max;
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &now));
}

/// In a child, before it becomes a program: that has the limit of who has started all this.
inline void restore_descriptor_limit() {
    if (detail::g_raised) static_cast<void>(::setrlimit(RLIMIT_NOFILE, &detail::g_before));
}

}  // namespace rnicsim::programs
