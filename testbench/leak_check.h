// A forked process leaves by _exit(), past the handler that looks for leaks in a build with the address sanitizer.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace rnicsim {

/// To be called before _exit(): reports what has leaked and ends the process with the sanitizer's exit code. Nothing in
/// other builds.
inline void check_for_leaks() {
#if defined(__SANITIZE_ADDRESS__)
    __lsan_do_leak_check();
#endif
}

}  // namespace rnicsim
