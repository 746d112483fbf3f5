// SPDX-License-Identifier: Apache-2.0
// A forked process ends by _exit(), which skips the address sanitizer's search for leaks.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace rnicsim {

/// To be called before _exit(): reports leaks and ends the process with the sanitizer's exit code. Does nothing in
/// other builds.
inline void check_for_leaks() {
#if defined(__SANITIZE_ADDRESS__)
    __lsan_do_leak_check();
#endif
}

}  // namespace rnicsim
