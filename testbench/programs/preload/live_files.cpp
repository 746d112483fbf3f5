// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/preload/live_files.h"

#include "testbench/programs/preload/client.h"
#include "testbench/programs/preload/paths.h"
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/protocol/device_tree.h"

#include <sys/mman.h>

#include <array>
#include <cstdio>
#include <cstring>

namespace rnicsim::programs {
namespace {

const char* last_word(const char* path) {
    const char* const slash = std::strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

bool may_be_live(const char* name) {
    for (const char* const state : kPortStates) {
        if (std::strcmp(name, state) == 0) return true;
    }
    for (const PortCounter& counter : kPortCounters) {
        if (std::strcmp(name, counter.name) == 0) return true;
    }
    return false;
}

/// The file's name behind that of the port's folder, whatever links led to it; null: it is elsewhere.
const char* name_in_port(int folder, const char* path, std::array<char, PATH_MAX>& real) {
    const int file = static_cast<int>(::syscall(SYS_openat, folder, Led(path).path(), O_PATH | O_CLOEXEC));
    if (file < 0) return nullptr;
    std::array<char, 32> link{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", file);
    const long length = ::syscall(SYS_readlinkat, AT_FDCWD, link.data(), real.data(), real.size() - 1);
    raw::close(file);
    if (length <= 0) return nullptr;
    real[static_cast<std::size_t>(length)] = '\0';
    lead_back(real.data());
    const std::size_t port = std::strlen(kPort);
    return std::strncmp(real.data(), kPort, port) == 0 && real[port] == '/' ? real.data() + port + 1 : nullptr;
}

template <class Answer>
int ask_for(Op op, Answer& answer) {
    std::size_t got = 0;
    const int error = rnicsim_call(op, nullptr, 0, &answer, sizeof answer, &got, nullptr);
    return error == 0 && got != sizeof answer ? EIO : error;
}

/// Text of one; an errno, or kNotLive.
int write_text(const char* name, char* to, std::size_t room) {
    for (const PortCounter& counter : kPortCounters) {
        const std::size_t folder = std::strlen(counter.folder);
        if (std::strncmp(name, counter.folder, folder) != 0 || name[folder] != '/' ||
            std::strcmp(name + folder + 1, counter.name) != 0)
            continue;
        Counters now;
        const int error = ask_for(Op::query_counters, now);
        if (error == 0)
            std::snprintf(to, room, "%llu\n", static_cast<unsigned long long>(now.*counter.value / counter.unit));
        return error;
    }
    const bool physical = std::strcmp(name, "phys_state") == 0;
    if (!physical && std::strcmp(name, "state") != 0) return kNotLive;
    Device now;
    const int error = ask_for(Op::query_device, now);
    const bool up = now.link_up != 0;
    const char* const text = physical ? (up ? "5: LinkUp\n" : "3: Disabled\n") : (up ? "4: ACTIVE\n" : "1: DOWN\n");
    if (error == 0) std::snprintf(to, room, "%s", text);
    return error;
}

}  // namespace

int open_live(int folder, const char* path) {
    if (!has_simulator() || !may_be_live(last_word(path))) return kNotLive;
    std::array<char, PATH_MAX> real{};
    const char* const name = name_in_port(folder, path, real);
    if (name == nullptr) return kNotLive;
    std::array<char, 32> text{};
    const int error = write_text(name, text.data(), text.size());
    if (error == kNotLive) return kNotLive;
    if (error != 0) {
        errno = error;
        return -1;
    }
    const int made = ::memfd_create("counter", MFD_CLOEXEC);
    if (made < 0) return -1;
    [[maybe_unused]] const ssize_t written = raw::write(made, text.data(), std::strlen(text.data()));
    ::syscall(SYS_lseek, made, 0, SEEK_SET);
    return made;
}

}  // namespace rnicsim::programs
