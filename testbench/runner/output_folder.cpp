#include "testbench/runner/output_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace rnicsim::runner {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, const int error) {
    throw OutputError(path.string() + ": " + what + ": " + std::generic_category().message(error));
}

/// A killed predecessor's workers hold its lock for an instant longer, so the lock is tried for one second.
bool lock_within_a_second(const int fd) {
    constexpr int kTries = 20;
    for (int i = 0; i < kTries; ++i) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK && errno != EINTR) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
}

}  // namespace

void write_atomically(const std::filesystem::path& file, const std::string_view content) {
    std::filesystem::path temporary = file;
    temporary += ".tmp";
    const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) fail(temporary, "cannot be created", errno);
    for (std::string_view rest = content; !rest.empty();) {
        const ssize_t n = write(fd, rest.data(), rest.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            const int error = errno;
            close(fd);
            unlink(temporary.c_str());
            fail(temporary, "cannot be written", error);
        }
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
    if (close(fd) != 0) fail(temporary, "cannot be written", errno);
    if (rename(temporary.c_str(), file.c_str()) != 0) fail(file, "cannot be replaced", errno);
}

OutputFolder::OutputFolder(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error) throw OutputError(path_.string() + ": the output folder cannot be created: " + error.message());
    const std::filesystem::path file = path_ / ".lock";
    lock_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0) fail(path_, "the output folder cannot be written to", errno);
    if (!lock_within_a_second(lock_)) {
        close(lock_);
        throw OutputError(path_.string() +
                          ": another rnicsim is writing there; wait for it, or choose another folder with --out");
    }
}

OutputFolder::~OutputFolder() { close(lock_); }

}  // namespace rnicsim::runner
