// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/memory_map.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace rnicsim::programs {
namespace {

struct Mapping {
    std::uint64_t begin = 0, end = 0;
    bool reads = false, writes = false;
};

/// A line of /proc/PID/maps: "55d0-55d2 rw-p ... name". The kernel's own pages cannot be pinned.
std::optional<Mapping> mapping_of(std::string_view line) {
    Mapping m;
    const char* const end = line.data() + line.size();
    const auto first = std::from_chars(line.data(), end, m.begin, 16);
    if (first.ec != std::errc{} || first.ptr == end) return {};
    const auto second = std::from_chars(first.ptr + 1, end, m.end, 16);
    if (second.ec != std::errc{} || end - second.ptr < 3) return {};
    const bool kernels = line.ends_with("[vvar]") || line.ends_with("[vvar_vclock]") || line.ends_with("[vsyscall]");
    m.reads = second.ptr[1] == 'r' && !kernels;
    m.writes = second.ptr[2] == 'w';
    return m;
}

}  // namespace

bool is_mapped(pid_t process, const MemoryRange& range, bool writes) {
    if (range.begin + range.bytes + kPageBytes < range.begin) return false;
    const MemoryRange pages = whole_pages(range);
    std::uint64_t next = pages.begin;
    std::ifstream maps(fmt::format("/proc/{}/maps", process));
    for (std::string line; next < pages.begin + pages.bytes && std::getline(maps, line);) {
        const auto m = mapping_of(line);
        if (!m || m->end <= next) continue;
        if (m->begin > next || !m->reads || (writes && !m->writes)) return false;
        next = m->end;
    }
    return next >= pages.begin + pages.bytes;
}

}  // namespace rnicsim::programs
