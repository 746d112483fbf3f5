// SPDX-License-Identifier: Apache-2.0
// Processor time of this process: independent of other work on the machine.
#pragma once

#include <ctime>

inline double cpu_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
