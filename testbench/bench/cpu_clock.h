// Processor time of this process: what a run costs, however busy the machine is with other work.
#pragma once

#include <ctime>

inline double cpu_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
