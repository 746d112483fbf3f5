// The programs of `rnicsim exec`: one is begun after the other, when the one before is ready for it.
#pragma once

#include "testbench/cli/serve.h"
#include "testbench/programs/server/server.h"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <vector>

namespace rnicsim::runner {

class Children {
  public:
    /// `libraries`: where libibverbs.so.1 and the preload object lie. `programs` is not owned.
    Children(const std::vector<ProgramOnHost>& programs, std::filesystem::path socket, std::filesystem::path libraries);
    /// Those that still run are asked to end.
    ~Children();
    Children(const Children&) = delete;
    Children& operator=(const Children&) = delete;

    /// Begins what is due; true: all have ended, or one that others should have followed has failed.
    bool over(const programs::Server& server);
    /// All have begun, and each thread of theirs, and of what they have started, is blocked.
    [[nodiscard]] bool quiet() const;
    /// Of the first that has failed, as a shell says it; or 0.
    [[nodiscard]] int code() const { return code_; }

  private:
    using Clock = std::chrono::steady_clock;

    void reap();
    [[nodiscard]] bool may_be_followed(pid_t child, const programs::Server& server, Clock::time_point now);
    [[nodiscard]] pid_t start(const ProgramOnHost& program) const;

    const std::vector<ProgramOnHost>& programs_;
    std::filesystem::path socket_, libraries_;
    std::vector<pid_t> running_;
    std::size_t next_ = 0;
    Clock::time_point looked_{}, busy_{};  // when the newest was looked at, and was last seen to do something
    int code_ = 0;
};

}  // namespace rnicsim::runner
