// SPDX-License-Identifier: Apache-2.0
// The programs of `rnicsim exec`: those of a group are begun together, and a group when all of the one before are ready
// for it.
#pragma once

#include "testbench/cli/program_words.h"
#include "testbench/programs/server/server.h"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rnicsim::runner {

class Children {
  public:
    /// `libraries`: where libibverbs.so.1 and the preload object lie. `until`: the run ends when these have ended;
    /// none: when all have. `programs` is not owned.
    Children(const std::vector<ProgramOnHost>& programs, std::vector<bool> until, std::filesystem::path socket,
             std::filesystem::path libraries);
    /// Those that still run are asked to end.
    ~Children();
    Children(const Children&) = delete;
    Children& operator=(const Children&) = delete;

    /// Begins what is due; true: all that are waited for have ended, or one that others should have followed has
    /// failed.
    bool over(const programs::Server& server);
    /// All have begun, and each thread of theirs, and of what they have started, is blocked.
    [[nodiscard]] bool quiet() const;
    /// Some that have just begun have not got to know the simulator yet: time is not to go on without them.
    [[nodiscard]] bool holds(const programs::Server& server);
    /// Of the first that has failed, as a shell says it; or 0.
    [[nodiscard]] int code() const { return code_; }

  private:
    using Clock = std::chrono::steady_clock;
    struct Child {
        pid_t process = 0;
        std::size_t index = 0;     ///< of the program
        Clock::time_point busy{};  ///< when it was last seen to do something
        bool is_ready = false;
        std::uint64_t requests = 0;  ///< of the simulator, when it was last looked at
        Clock::time_point asked{};   ///< when there were more of them than before
    };

    void reap();
    bool may_go_on(const programs::Server& server, Clock::time_point now);
    [[nodiscard]] bool is_ready(Child& child, const programs::Server& server, Clock::time_point now) const;
    [[nodiscard]] bool waited_for_have_ended() const;
    bool end_others(Clock::time_point now);
    void tell_who_runs_on(const programs::Server& server, Clock::time_point now);
    [[nodiscard]] std::string text(const Child& child) const;
    [[nodiscard]] pid_t start(const ProgramOnHost& program) const;

    const std::vector<ProgramOnHost>& programs_;
    const std::vector<bool> until_;
    std::filesystem::path socket_, libraries_;
    std::vector<Child> running_;
    std::size_t next_ = 0, group_ = 0;                // program to begin; the first of those begun last
    Clock::time_point looked_{}, begun_{}, ended_{};  // a look; the last group's beginning, the last program's end
    bool ending_ = false, told_ = false, held_ = false;
    int code_ = 0;
};

}  // namespace rnicsim::runner
