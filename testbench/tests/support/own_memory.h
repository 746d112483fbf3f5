// SPDX-License-Identifier: Apache-2.0
// Memory that this process takes.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace rnicsim {

/// Bytes now, pages of files as well (VmRSS of proc_pid_status(5)).
inline std::int64_t own_memory() {
    constexpr std::int64_t kKibibyte = 1024;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) return kKibibyte * std::stoll(line.substr(line.find(':') + 1));
    }
    return 0;
}

}  // namespace rnicsim
