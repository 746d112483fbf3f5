// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/process_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace rnicsim::runner {
namespace {

/// The names in a folder of /proc; what it names may be gone at any moment.
std::vector<std::filesystem::path> entries(const std::string& folder) {
    std::vector<std::filesystem::path> found;
    std::error_code gone;
    for (std::filesystem::directory_iterator at(folder, gone), end; !gone && at != end; at.increment(gone))
        found.push_back(at->path());
    return found;
}

/// State S of proc(5); the name before it may have spaces and brackets.
bool thread_rests(const std::filesystem::path& thread) {
    std::ifstream file(thread / "stat");
    std::string line;
    if (!std::getline(file, line)) return true;
    const std::size_t behind_name = line.rfind(')');
    return behind_name != std::string::npos && behind_name + 2 < line.size() && line[behind_name + 2] == 'S';
}

/// "socket:[INODE]" of those in a file like /proc/net/tcp whose state is TCP_LISTEN (0A).
void add_listening(const std::string& table, std::vector<std::string>& sockets) {
    std::ifstream file(table);
    std::string line, word;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::vector<std::string> columns;
        while (words >> word) columns.push_back(word);
        constexpr std::size_t kState = 3, kInode = 9;
        if (columns.size() > kInode && columns[kState] == "0A") sockets.push_back("socket:[" + columns[kInode] + "]");
    }
}

}  // namespace

std::vector<pid_t> family_of(pid_t process) {
    std::vector<pid_t> family{process};
    for (std::size_t i = 0; i < family.size(); ++i) {
        for (const auto& thread : entries(fmt::format("/proc/{}/task", family[i]))) {
            std::ifstream file(thread / "children");
            for (pid_t child = 0; file >> child;) family.push_back(child);
        }
    }
    return family;
}

bool rests(pid_t process) { return std::ranges::all_of(entries(fmt::format("/proc/{}/task", process)), thread_rests); }

bool listens_by_tcp(pid_t process) {
    std::vector<std::string> sockets;
    for (const char* table : {"tcp", "tcp6"}) add_listening(fmt::format("/proc/{}/net/{}", process, table), sockets);
    return std::ranges::any_of(entries(fmt::format("/proc/{}/fd", process)), [&](const std::filesystem::path& fd) {
        std::error_code gone;
        return std::ranges::find(sockets, std::filesystem::read_symlink(fd, gone).string()) != sockets.end();
    });
}

}  // namespace rnicsim::runner
