// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/preload/paths.h"

#include "testbench/programs/preload/raw.h"
#include "testbench/programs/protocol/device_tree.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace rnicsim::programs {
namespace {

/// False: it does not fit.
bool write_root(char* to, std::size_t room) {
    const char* const host = std::getenv(kHostVariable);
    const bool named = host != nullptr && *host != '\0';
    const int length =
        std::snprintf(to, room, "%s%s/%s", std::getenv(kSocketVariable), kTreeSuffix, named ? host : kFirstHost);
    return length > 0 && static_cast<std::size_t>(length) < room;
}

bool begins(const char* path, const char* with) {
    const std::size_t length = std::strlen(with);
    if (std::strncmp(path, with, length) != 0) return false;
    const char next = path[length];
    return next == '\0' || next == '/' || next == '_';
}

}  // namespace

bool has_simulator() {
    const char* const socket = std::getenv(kSocketVariable);
    return socket != nullptr && *socket != '\0';
}

bool is_led(const char* path) {
    if (path == nullptr || path[0] != '/' || (path[1] != 's' && path[1] != 'd')) return false;  // the most
    return (begins(path, kClass) || begins(path, kDevices) || begins(path, kCard)) && has_simulator();
}

bool is_device(const char* path) {
    if (!is_led(path) || !begins(path, kDevices)) return false;
    const char* const name = path + std::strlen(kDevices);
    return std::strcmp(name, "/uverbs0") == 0 || std::strcmp(name, "/rdma_cm") == 0;
}

// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): most paths need none of its 4 KiB
Led::Led(const char* path) : path_(path) {
    if (!raw::has_text(path) || !is_led(path)) return;  // the kernel says that it is not there
    // A node of another kind would need a right that programs do not have.
    if (is_device(path)) {
        path_ = "/dev/null";
        return;
    }
    path_ = made_.data();
    if (!write_root(made_.data(), made_.size())) made_[0] = '\0';
    const std::size_t length = std::strlen(made_.data());
    const std::size_t room = made_.size() - length;
    // A path that is too long is none that the tree has, nor the machine: the kernel says so.
    if (length == 0)
        made_[0] = '\0';
    else if (std::snprintf(made_.data() + length, room, "%s", path) >= static_cast<int>(room))
        path_ = path;
}

void lead_back(char* path) {
    std::array<char, PATH_MAX> root{}, real{};
    if (!has_simulator() || !write_root(root.data(), root.size())) return;
    // The system's own realpath() may be ours here; /proc says the same.
    const int folder = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, root.data(), O_PATH | O_CLOEXEC));
    if (folder < 0) return;
    std::array<char, 32> link{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", folder);
    const long length = ::syscall(SYS_readlinkat, AT_FDCWD, link.data(), real.data(), real.size() - 1);
    ::syscall(SYS_close, folder);
    if (length <= 0 || std::strncmp(path, real.data(), static_cast<std::size_t>(length)) != 0) return;
    if (path[length] == '/') std::memmove(path, path + length, std::strlen(path + length) + 1);
}

}  // namespace rnicsim::programs
