// SPDX-License-Identifier: Apache-2.0
// One line on a terminal: runs done, time left, data frames a second. Silent when stderr is not a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rnicsim::runner {

class Progress {
  public:
    /// `resumed` of the `total` runs finished before this program started.
    Progress(std::size_t total, std::size_t resumed, bool enabled);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void run_ended(std::uint64_t data_frames);
    void show();
    void clear();  ///< before anything else is printed

    double elapsed_seconds() const;
    std::uint64_t data_frames() const { return data_frames_; }

    /// The line without control characters.
    std::string line(double elapsed) const;

  private:
    std::size_t total_;
    std::size_t resumed_;
    std::size_t ended_ = 0;
    std::uint64_t data_frames_ = 0;
    bool enabled_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// True if standard error is a terminal.
bool stderr_is_terminal();

}  // namespace rnicsim::runner
