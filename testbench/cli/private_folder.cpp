// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/private_folder.h"

#include "testbench/records/run_result.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

namespace rnicsim::runner {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "rnicsim-exec-";
constexpr std::string_view kRandom = "XXXXXX";  // mkdtemp(3)

[[noreturn]] void fail(const fs::path& path) {
    throw RunError(fmt::format("{}: no folder for the socket can be made: {}", path.string(), std::strerror(errno)));
}

programs::Descriptor opened(const fs::path& folder) {
    return programs::Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// Is what is open there still what has this name?
bool has_name(const programs::Descriptor& folder, const fs::path& name) {
    struct stat open {
    }, named{};
    return ::fstat(folder.get(), &open) == 0 && ::lstat(name.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
}

bool is_mine(const programs::Descriptor& folder) {
    struct stat of {};
    return ::fstat(folder.get(), &of) == 0 && of.st_uid == ::geteuid() && (of.st_mode & 07777U) == S_IRWXU;
}

/// Of runs of this user that live no more.
void remove_dead(const fs::path& among) {
    std::error_code error;
    for (fs::directory_iterator entry(among, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(kBegin) || name.size() != kBegin.size() + kRandom.size()) continue;
        const programs::Descriptor folder = opened(entry->path());
        if (folder.get() < 0 || !is_mine(folder) || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
        std::error_code ignored;  // it is tried again by the run after this one
        if (has_name(folder, entry->path())) fs::remove_all(entry->path(), ignored);
    }
}

}  // namespace

PrivateFolder::PrivateFolder(const fs::path& among) {
    remove_dead(among);
    // Another run may take it for a dead one's before it is locked: then a new one.
    do {
        std::string name = (among / kBegin).string().append(kRandom);
        if (::mkdtemp(name.data()) == nullptr) fail(among);
        path_ = name;
        lock_ = opened(path_);
        if (lock_.get() >= 0 && ::flock(lock_.get(), LOCK_EX) != 0) fail(path_);
    } while (!has_name(lock_, path_));
}

PrivateFolder::~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace rnicsim::runner
