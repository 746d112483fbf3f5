// SPDX-License-Identifier: Apache-2.0
// What UCX of Debian 13 does while it is loaded: it begins a thread in a constructor, and looks at a clock while nobody
// may call libc's mmap, whose code it changes. Programs of `rnicsim exec` in strict mode.
#include "testbench/tests/programs/calls.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

namespace {

CALLS_CASE(constructor, "an object that is being loaded begins a thread") {
    void* const object = dlopen(BEGINS_A_THREAD, RTLD_NOW);
    CHECK(object != nullptr);
    const auto* const has_run = static_cast<const int*>(dlsym(object, "has_run"));
    CHECK(has_run != nullptr && *has_run == 1);
    CHECK(dlclose(object) == 0);
}

CALLS_CASE(no_mmap, "the first look at a clock, while mmap cannot be called") {
    auto* const code = reinterpret_cast<unsigned char*>(dlsym(RTLD_DEFAULT, "mmap"));
    CHECK(code != nullptr);
    const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    auto* const page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(code) & ~(size - 1));
    CHECK(mprotect(page, 2 * size, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    const unsigned char was[2] = {code[0], code[1]};
    constexpr unsigned char kIllegal[2] = {0x0F, 0x0B};
    std::memcpy(code, kIllegal, sizeof kIllegal);
    timespec time{};
    const int error = clock_gettime(CLOCK_REALTIME, &time);
    std::memcpy(code, was, sizeof was);
    CHECK(error == 0 && time.tv_sec == 1767225600);  // 1 January 2026: simulated
}

}  // namespace
