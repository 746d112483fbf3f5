// SPDX-License-Identifier: Apache-2.0
#include "testbench/processes/forked_text.h"

#include "testbench/processes/leak_check.h"
#include "testbench/records/run_result.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>
#include <system_error>
#include <utility>

namespace rnicsim {
namespace {

// A message is one letter, the text, and the closing byte that tells a whole message from a torn one.
constexpr char kText = 'T';
constexpr char kError = 'E';
constexpr char kRefused = 'R';
constexpr char kClosing = '\n';

bool write_all(const int fd, std::string_view rest) {
    while (!rest.empty()) {
        const ssize_t n = write(fd, rest.data(), rest.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

std::string message(const std::function<std::string()>& says) {
    try {
        return kText + says() + kClosing;
    } catch (const std::system_error& e) {
        return kRefused + std::to_string(e.code().value()) + ' ' + e.what() + kClosing;
    } catch (const std::exception& e) { return kError + std::string(e.what()) + kClosing; } catch (...) {
        return kError + std::string("an exception of unknown type") + kClosing;
    }
}

/// Leaves by _exit: the parent's buffers and destructors are not its own.
[[noreturn]] void child_main(const int fd, const pid_t parent, const std::function<std::string()>& says) {
    std::signal(SIGINT, SIG_IGN);  // the terminal's Ctrl-C reaches the whole group; the parent decides and kills
    std::signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed parent leaves no orphans
    if (getppid() != parent) _exit(1);
    const bool sent = write_all(fd, message(says));
    std::fflush(nullptr);
    check_for_leaks();
    _exit(sent ? 0 : 1);
}

}  // namespace

std::string how_it_died(const int status) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
    }
    return "exited with code " + std::to_string(WEXITSTATUS(status)) + " without a result";
}

ForkedText::ForkedText(const std::function<std::string()>& says) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    std::fflush(nullptr);  // else the child would print the parent's pending output again
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
        close(ends[0]);
        child_main(ends[1], parent, says);
    }
    const int error = errno;
    close(ends[1]);
    if (pid_ < 0) {
        close(ends[0]);
        throw std::system_error(error, std::generic_category(), "fork");
    }
    fd_ = ends[0];
}

ForkedText::~ForkedText() {
    if (fd_ >= 0) close(fd_);
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
    }
}

ForkedText::ForkedText(ForkedText&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), fd_(std::exchange(other.fd_, -1)), received_(std::move(other.received_)) {}

bool ForkedText::read_some() {
    std::array<char, 65'536> buffer{};
    const ssize_t n = read(fd_, buffer.data(), buffer.size());
    if (n < 0) return errno != EINTR && errno != EAGAIN;
    received_.append(buffer.data(), static_cast<std::size_t>(n));
    return n == 0;
}

ForkedText::Outcome ForkedText::collect() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
    pid_ = -1;
    const bool whole = received_.size() >= 2 && received_.back() == kClosing;
    if (!whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return {Outcome::Kind::died, how_it_died(status)};
    const char what = received_.front();
    const Outcome::Kind kind = what == kError     ? Outcome::Kind::failed
                               : what == kRefused ? Outcome::Kind::refused
                                                  : Outcome::Kind::said;
    std::string text = received_.substr(1, received_.size() - 2);
    if (kind != Outcome::Kind::refused) return {kind, std::move(text)};
    const std::size_t blank = text.find(' ');
    return {kind, text.substr(blank + 1), std::stoi(text.substr(0, blank))};
}

std::string ForkedText::wait() {
    while (!read_some()) {}
    Outcome outcome = collect();
    if (outcome.kind == Outcome::Kind::died) throw WorkerDied(outcome.text);
    if (outcome.kind != Outcome::Kind::said) throw RunError(outcome.text);
    return std::move(outcome.text);
}

}  // namespace rnicsim
