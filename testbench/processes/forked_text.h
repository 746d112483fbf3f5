// SPDX-License-Identifier: Apache-2.0
// A forked process that says one text, through a pipe, and ends. In its parent's words: what it said, or how it died.
#pragma once

#include <sys/types.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace rnicsim {

/// What waitpid() said of a process that did not end as it should, in words.
std::string how_it_died(int status);

/// A process that simulated ended for a reason outside the simulation; `what()` says how.
struct WorkerDied : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class ForkedText {
  public:
    struct Outcome {
        enum class Kind {
            said,     ///< `text` is what it was to say
            failed,   ///< an exception; `text` is its message
            refused,  ///< the system has refused something, std::system_error; `text` says what
            died,     ///< for a reason outside the program; `text` says how
        };
        Kind kind = Kind::died;
        std::string text;
        int error = 0;  ///< refused: the errno
    };

    /// Forks; `says` is the whole life of the new process. Throws std::system_error if the system has no process or
    /// pipe left.
    explicit ForkedText(const std::function<std::string()>& says);
    ~ForkedText();  ///< kills and reaps a process that has not been collected
    ForkedText(ForkedText&& other) noexcept;
    ForkedText& operator=(ForkedText&&) = delete;
    ForkedText(const ForkedText&) = delete;
    ForkedText& operator=(const ForkedText&) = delete;

    [[nodiscard]] int fd() const { return fd_; }

    /// Takes what the pipe has, or waits for something; true at its end.
    bool read_some();
    /// After read_some() returned true: waits for the process and says how it ended.
    Outcome collect();
    /// Both. Throws RunError with the words of an exception, and WorkerDied for a process that has died.
    std::string wait();

  private:
    pid_t pid_ = -1;
    int fd_ = -1;
    std::string received_;
};

}  // namespace rnicsim
