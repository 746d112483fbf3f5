// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/output_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace rnicsim::runner {
namespace {

std::string what_to_do(const int error) {
    if (error == ENOSPC || error == EDQUOT) return "; make room there";
    return "; choose another folder with --out";
}

/// A killed predecessor's workers hold its lock for an instant longer, so the lock is tried for one second.
int lock_within_a_second(const std::filesystem::path& folder, const std::filesystem::path& name, const int operation,
                         const std::string& holder) {
    constexpr int kTries = 20;
    const std::filesystem::path file = folder / name;
    const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) throw output_error(folder, "the output folder cannot be written to", errno);
    int error = 0;
    for (int i = 0; i < kTries; ++i) {
        if (flock(fd, operation | LOCK_NB) == 0) return fd;
        error = errno;
        if (error != EWOULDBLOCK && error != EINTR) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    close(fd);
    // Some cluster file systems have locks only if they are mounted so.
    if (error != EWOULDBLOCK && error != EINTR) throw output_error(file, "cannot be locked", error);
    throw OutputError(folder.string() + ": another rnicsim is " + holder +
                      " there; wait for it, or choose another folder with --out");
}

/// Is there anything but folders that may come before the lock: those of shards, and the logs of scripts/slurm/submit?
bool holds_results_or_foreign(const std::filesystem::path& folder) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().filename() != "shards" && entry.path().filename() != "slurm") return true;
    }
    return false;
}

/// Refuses a folder with files that this program has not made.
void refuse_foreign(const std::filesystem::path& folder) {
    std::error_code error;
    if (!holds_results_or_foreign(folder)) return;
    // Checked after the content: of shards that start together, the first makes the lock before anything else.
    if (std::filesystem::exists(folder / ".lock", error)) return;
    std::ifstream manifest(folder / "manifest.json");
    const std::string text{std::istreambuf_iterator<char>(manifest), {}};
    if (text.find("\"source_hash\"") != std::string::npos) return;  // results that came by git, without the lock
    throw OutputError(folder.string() +
                      ": holds files, but no results of rnicsim; choose a new or an empty folder with --out");
}

}  // namespace

OutputError output_error(const std::filesystem::path& path, const std::string& what, const int error) {
    return OutputError(path.string() + ": " + what + ": " + std::generic_category().message(error) + what_to_do(error));
}

std::string unique_suffix() {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    return '.' + std::string(host.data()) + '.' + std::to_string(getpid()) + ".tmp";
}

OutputError output_error(const std::string& said, const int error) { return OutputError(said + what_to_do(error)); }

AtomicFile::AtomicFile(std::filesystem::path file)
    : file_(std::move(file)), temporary_(std::filesystem::path(file_) += unique_suffix()) {
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ < 0) throw output_error(file_, "cannot be created", errno);
}

AtomicFile::~AtomicFile() {
    if (fd_ < 0) return;
    close(fd_);
    unlink(temporary_.c_str());
}

void AtomicFile::give_up(const std::string& what) { throw output_error(file_, what, errno); }

void AtomicFile::write(const std::string_view text) {
    constexpr std::size_t kPiece = 1U << 16U;
    waiting_ += text;
    if (waiting_.size() >= kPiece) flush();
}

void AtomicFile::flush() {
    for (std::string_view rest = waiting_; !rest.empty();) {
        const ssize_t n = ::write(fd_, rest.data(), rest.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) give_up("cannot be written");
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
    waiting_.clear();
}

void AtomicFile::commit() {
    flush();
    if (close(std::exchange(fd_, -1)) != 0 || rename(temporary_.c_str(), file_.c_str()) != 0) {
        const int error = errno;
        unlink(temporary_.c_str());
        throw output_error(file_, "cannot be replaced", error);
    }
}

void write_atomically(const std::filesystem::path& file, const std::string_view content) {
    AtomicFile whole(file);
    whole.write(content);
    whole.commit();
}

OutputFolder::OutputFolder(std::filesystem::path path, const std::optional<Shard>& shard) : path_(std::move(path)) {
    refuse_foreign(path_);
    std::error_code error;
    std::filesystem::create_directories(shard ? path_ / "shards" : path_, error);
    if (error) throw output_error(path_, "the output folder cannot be created", error.value());
    lock_ = lock_within_a_second(path_, ".lock", shard ? LOCK_SH : LOCK_EX, "writing");
    if (!shard) return;
    try {
        shard_lock_ = lock_within_a_second(path_, "shards/" + shard->file_name() + ".lock", LOCK_EX,
                                           "simulating shard " + shard->label());
    } catch (...) {
        close(lock_);
        throw;
    }
}

OutputFolder::~OutputFolder() {
    if (shard_lock_ >= 0) close(shard_lock_);
    close(lock_);
}

}  // namespace rnicsim::runner
