// SPDX-License-Identifier: Apache-2.0
#include "testbench/sweep/event_pipe.h"

#include "model/request_error.h"
#include "testbench/processes/forked_text.h"
#include "testbench/processes/leak_check.h"
#include "testbench/scenario/scenario.h"

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
#include <span>
#include <system_error>

namespace rnicsim::runner {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;

/// What a record is: an event, or the end of the run with a message.
enum class RecordKind : std::uint8_t {
    event,
    ended,    ///< the length of a message follows, and the message: empty = well
    refused,  ///< the same of a run that refused its request
};

class Writer : public EventSink {
  public:
    explicit Writer(int fd) : fd_(fd) { buffer_.reserve(kBuffer); }

    void event(const LoggedEvent& event, std::span<const std::uint8_t> /*frame*/) override {
        put(&kEvent, sizeof kEvent);
        put(&event, sizeof event);
    }
    void end(const std::string& error, RecordKind kind) {
        const std::size_t length = error.size();
        put(&kind, sizeof kind);
        put(&length, sizeof length);
        put(error.data(), length);
        flush();
    }

  private:
    void put(const void* data, std::size_t bytes) {
        if (buffer_.size() + bytes > kBuffer) flush();
        const char* const first = static_cast<const char*>(data);
        buffer_.insert(buffer_.end(), first, first + bytes);
    }
    void flush() {
        std::size_t done = 0;
        while (done < buffer_.size()) {
            const ssize_t n = write(fd_, buffer_.data() + done, buffer_.size() - done);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) throw RunError("the reader has seen enough");
            done += static_cast<std::size_t>(n);
        }
        buffer_.clear();
    }

    static constexpr RecordKind kEvent = RecordKind::event;

    int fd_;
    std::vector<char> buffer_;
};

[[noreturn]] void child_main(int fd, const RunRequest& request, const Record& record) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGPIPE, SIG_IGN);
    Writer writer(fd);
    std::string error;
    RecordKind kind = RecordKind::ended;
    try {
        static_cast<void>(record(request, writer));
    } catch (const RequestError& e) {
        error = e.what();
        kind = RecordKind::refused;
    } catch (const std::exception& e) {
        error = e.what();
        if (error.empty()) error = "an exception without a message";
    }
    try {
        writer.end(error, kind);
    } catch (const RunError&) { _exit(1); }
    check_for_leaks();
    _exit(0);
}

}  // namespace

EventPipe::EventPipe(const RunRequest& request, const Record& record) : buffer_(kBuffer) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    std::fflush(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
        close(ends[0]);
        child_main(ends[1], request, record);
    }
    const int error = errno;
    close(ends[1]);
    fd_ = ends[0];
    if (pid_ >= 0) return;
    close(fd_);
    throw std::system_error(error, std::generic_category(), "fork");
}

EventPipe::~EventPipe() {
    if (pid_ < 0) return;  // it has been waited for
    kill(pid_, SIGKILL);
    leave();
}

void EventPipe::leave() {
    if (pid_ < 0) return;
    close(fd_);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
    ended_ = true;
}

/// More bytes behind those that are here; false at the end.
bool EventPipe::fill() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    while (true) {
        const ssize_t n = read(fd_, buffer_.data() + end_, buffer_.size() - end_);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        end_ += static_cast<std::size_t>(n);
        return true;
    }
}

/// The process closed its end of the pipe without a last record.
void EventPipe::crash() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
    pid_ = -1;
    close(fd_);
    error_ = how_it_died(status);
    crashed_ = true;
}

/// The next bytes of the pipe; false if it ends before.
bool EventPipe::take(void* to, std::size_t bytes) {
    while (end_ - begin_ < bytes) {
        if (!fill()) return false;
    }
    std::memcpy(to, buffer_.data() + begin_, bytes);
    begin_ += bytes;
    return true;
}

std::optional<LoggedEvent> EventPipe::next() {
    if (ended_) return std::nullopt;
    ended_ = true;  // unless an event comes
    RecordKind kind{};
    LoggedEvent event;
    std::size_t length = 0;
    bool whole = take(&kind, sizeof kind);
    if (whole && kind == RecordKind::event) {
        whole = take(&event, sizeof event);
        if (whole) {
            ended_ = false;
            return event;
        }
    }
    whole = whole && take(&length, sizeof length);
    error_.resize(length);
    whole = whole && take(error_.data(), length);
    if (!whole) {
        crash();
        return std::nullopt;
    }
    if (kind == RecordKind::refused) throw ScenarioError(error_);
    return std::nullopt;
}

}  // namespace rnicsim::runner
