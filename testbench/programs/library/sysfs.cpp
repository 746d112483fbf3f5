// SPDX-License-Identifier: Apache-2.0
// Files of /sys, which programs read through the library.
#include "testbench/programs/library/abi.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace {

/// How many bytes the file has, without the end of its last line; -1: it cannot be read.
int read_file(const char* path, char* to, std::size_t bytes) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t got = ::read(file, to, bytes);
    ::close(file);
    if (got < 0) return -1;
    if (got > 0 && to[got - 1] == '\n') to[--got] = '\0';
    if (static_cast<std::size_t>(got) < bytes) to[got] = '\0';
    return static_cast<int>(got);
}

bool fits(int written, std::size_t room) { return written >= 0 && static_cast<std::size_t>(written) < room; }

}  // namespace

extern "C" const char* ibv_get_sysfs_path() {
    const char* const path = std::getenv("SYSFS_PATH");
    return path == nullptr ? "/sys" : path;
}

extern "C" int ibv_read_sysfs_file(const char* folder, const char* name, char* to, std::size_t bytes) {
    char path[IBV_SYSFS_PATH_MAX];
    const int length = std::snprintf(path, sizeof path, "%s/%s", folder, name);
    return fits(length, sizeof path) ? read_file(path, to, bytes) : -1;
}

/// The same, of a device; the name as with printf.
extern "C" int ibv_read_ibdev_sysfs_file(char* to, std::size_t bytes, ibv_device* device, const char* format, ...) {
    char name[IBV_SYSFS_PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return fits(length, sizeof name) ? ibv_read_sysfs_file(device->ibdev_path, name, to, bytes) : -1;
}
