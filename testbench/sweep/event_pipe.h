// SPDX-License-Identifier: Apache-2.0
// A simulation in a process of its own whose events are read here, one by one, while it runs.
#pragma once

#include "testbench/events/event_log.h"
#include "testbench/records/run_result.h"

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim::runner {

/// Simulates a run and passes every event to the sink. Throws RunError.
using Record = std::function<RunResult(const RunRequest&, EventSink&)>;

class EventPipe {
  public:
    /// Starts the simulation. Throws std::system_error if no process can be started.
    EventPipe(const RunRequest& request, const Record& record);
    EventPipe(const EventPipe&) = delete;
    EventPipe& operator=(const EventPipe&) = delete;
    /// Kills it if it still runs.
    ~EventPipe();

    /// The next event; none after the end of the run, well or not. Throws ScenarioError if the run refused its request.
    std::optional<LoggedEvent> next();
    /// How it ended, once there are no more events: empty = well.
    [[nodiscard]] const std::string& error() const { return error_; }
    /// Did it end without saying how?
    [[nodiscard]] bool crashed() const { return crashed_; }

    /// Reads no more. The simulation stops when it notices, in good order: waits until its files are complete.
    void leave();

  private:
    bool fill();
    bool take(void* to, std::size_t bytes);
    void crash();

    pid_t pid_ = -1;
    int fd_ = -1;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::string error_;
    bool ended_ = false;
    bool crashed_ = false;
};

}  // namespace rnicsim::runner
