// SPDX-License-Identifier: Apache-2.0
// A process that looks into others with ptrace(): while these are stopped simulated time stands still, and who lets
// them go on must not wait for it. Its time is the machine's from there on.
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/thread_clock.h"

#include <sys/ptrace.h>
#include <sys/types.h>

#include <cstdarg>

using namespace rnicsim::programs;

namespace {

Next<long(__ptrace_request, pid_t, void*, void*)> g_ptrace("ptrace");

}  // namespace

extern "C" long ptrace(__ptrace_request request, ...) noexcept {
    std::va_list list;
    va_start(list, request);  // NOLINT(clang-diagnostic-varargs): the type is glibc's
    const pid_t process = va_arg(list, pid_t);
    void* const address = va_arg(list, void*);
    void* const data = va_arg(list, void*);
    va_end(list);
    if (request != PTRACE_TRACEME) leave_simulated_time();
    return g_ptrace(request, process, address, data);
}
