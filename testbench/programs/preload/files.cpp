// SPDX-License-Identifier: Apache-2.0
// Files of the machine that say something else in a simulation: the rate of the processors, which programs compare with
// what the time stamp counter does, and what the card has in /dev and /sys.
#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/live_files.h"
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/paths.h"
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/rdma_cm.h"
#include "testbench/programs/preload/thread_clock.h"

#include <sys/mman.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace rnicsim::programs;

namespace {

constexpr const char* kProcessors = "/proc/cpuinfo";
constexpr const char* kRate = "cpu MHz";

Next<int(const char*, int, ...)> g_open("open"), g_open64("open64");
Next<int(int, const char*, int, ...)> g_openat("openat"), g_openat64("openat64");
Next<int(const char*, int)> g_open_2("__open_2"), g_open64_2("__open64_2");
Next<int(int, const char*, int)> g_openat_2("__openat_2"), g_openat64_2("__openat64_2");
Next<FILE*(const char*, const char*)> g_fopen("fopen"), g_fopen64("fopen64");

/// The machine's, with the simulated rate. -1 and errno if there is none.
int processors() {
    FILE* const real = g_fopen(kProcessors, "re");
    if (real == nullptr) return -1;
    const int made = ::memfd_create("cpuinfo", MFD_CLOEXEC);
    std::array<char, 8192> line{};  // of flags: 2 KiB today
    while (made >= 0 && std::fgets(line.data(), line.size(), real) != nullptr) {
        if (std::strncmp(line.data(), kRate, std::strlen(kRate)) == 0)
            std::snprintf(line.data(), line.size(), "%s\t\t: %u.000\n", kRate, thread_connection().welcome.tsc_mhz);
        if (raw::write(made, line.data(), std::strlen(line.data())) < 0) break;
    }
    std::fclose(real);
    if (made >= 0) ::lseek(made, 0, SEEK_SET);
    return made;
}

constexpr int kMachine = kNotLive;

/// A descriptor, -1 and errno, or kMachine: the system is to open it, as Led says.
int open_simulated(int folder, const char* path, int flags) {
    if (!raw::has_text(path)) return kMachine;
    if (is_rdma_cm(path)) return open_rdma_cm(flags);
    if (std::strcmp(path, kProcessors) == 0) return has_simulated_time() ? processors() : kMachine;
    if (!is_device(path)) return open_live(folder, path);
    errno = ENXIO;  // the verbs library is what programs get at the card with, and no driver in the kernel
    return -1;
}

bool has_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

FILE* stream_of(int descriptor, const char* mode) { return descriptor < 0 ? nullptr : ::fdopen(descriptor, mode); }

}  // namespace

#define RNICSIM_MODE(flags)          \
    mode_t mode = 0;                 \
    if (has_mode(flags)) {           \
        std::va_list list;           \
        va_start(list, flags);       \
        mode = va_arg(list, mode_t); \
        va_end(list);                \
    }

extern "C" {

int open(const char* path, int flags, ...) {
    RNICSIM_MODE(flags)
    const int made = open_simulated(AT_FDCWD, path, flags);
    return made != kMachine ? made : g_open(Led(path).path(), flags, mode);
}
int open64(const char* path, int flags, ...) {
    RNICSIM_MODE(flags)
    const int made = open_simulated(AT_FDCWD, path, flags);
    return made != kMachine ? made : g_open64(Led(path).path(), flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
    RNICSIM_MODE(flags)
    const int made = open_simulated(folder, path, flags);
    return made != kMachine ? made : g_openat(folder, Led(path).path(), flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
    RNICSIM_MODE(flags)
    const int made = open_simulated(folder, path, flags);
    return made != kMachine ? made : g_openat64(folder, Led(path).path(), flags, mode);
}
// What open becomes in programs that are built with _FORTIFY_SOURCE.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are libc's
int __open_2(const char* path, int flags) {
    const int made = open_simulated(AT_FDCWD, path, flags);
    return made != kMachine ? made : g_open_2(Led(path).path(), flags);
}
int __open64_2(const char* path, int flags) {
    const int made = open_simulated(AT_FDCWD, path, flags);
    return made != kMachine ? made : g_open64_2(Led(path).path(), flags);
}
int __openat_2(int folder, const char* path, int flags) {
    const int made = open_simulated(folder, path, flags);
    return made != kMachine ? made : g_openat_2(folder, Led(path).path(), flags);
}
int __openat64_2(int folder, const char* path, int flags) {
    const int made = open_simulated(folder, path, flags);
    return made != kMachine ? made : g_openat64_2(folder, Led(path).path(), flags);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
FILE* fopen(const char* path, const char* mode) {
    const int made = open_simulated(AT_FDCWD, path, O_RDWR);
    return made != kMachine ? stream_of(made, mode) : g_fopen(Led(path).path(), mode);
}
FILE* fopen64(const char* path, const char* mode) {
    const int made = open_simulated(AT_FDCWD, path, O_RDWR);
    return made != kMachine ? stream_of(made, mode) : g_fopen64(Led(path).path(), mode);
}
}
