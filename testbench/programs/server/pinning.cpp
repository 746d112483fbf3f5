// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/pinning.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/resource.h>

#include <unistd.h>
#include <cerrno>
#include <fstream>
#include <string>

namespace rnicsim::programs {
namespace {

constexpr std::uint64_t kPage = 4096;

/// "CapEff" of proc(5).
bool may_lock_anything(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/status", process));
    for (std::string word; file >> word;) {
        std::uint64_t effective = 0;
        if (word == "CapEff:" && file >> std::hex >> effective) return (effective >> CAP_IPC_LOCK & 1U) != 0;
    }
    return false;
}

}  // namespace

int why_not_locked(pid_t process, std::uint64_t pages) {
    rlimit own{}, its{};
    if (::getrlimit(RLIMIT_MEMLOCK, &own) != 0 || ::prlimit(process, RLIMIT_MEMLOCK, nullptr, &its) != 0) return 0;
    if (its.rlim_cur >= own.rlim_cur || pages <= its.rlim_cur / kPage || may_lock_anything(process)) return 0;
    return its.rlim_cur == 0 ? EPERM : ENOMEM;
}

std::uint64_t pages_of_machine() {
    const auto of_system = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * of_system / kPage;
}

}  // namespace rnicsim::programs
