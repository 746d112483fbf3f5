// SPDX-License-Identifier: Apache-2.0
// Ordinary frames between plain hosts, as one work of a run.
#pragma once

#include "testbench/workloads/frames/frame_board.h"
#include "testbench/workloads/work.h"

#include <algorithm>

namespace rnicsim {

class FrameWork final : public Work {
  public:
    explicit FrameWork(const RunConfig& config) : board_(config) {}

    [[nodiscard]] std::size_t samples() const override { return board_.samples(); }
    void record_in(std::span<Sample> samples) override { board_.record_in(samples); }
    void attach(System& system) override { board_.attach(system); }
    /// Its hosts are idle then, which the system says.
    [[nodiscard]] bool ended() const override { return true; }
    [[nodiscard]] Time last_progress() const override { return std::max(board_.last_progress(), board_.rests_until()); }
    [[nodiscard]] std::string violation() const override { return board_.violation(); }
    [[nodiscard]] Time last_end() const override { return board_.last_end(); }

  private:
    FrameBoard board_;
};

}  // namespace rnicsim
