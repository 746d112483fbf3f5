// SPDX-License-Identifier: Apache-2.0
// A fault tape: a list of the faults of a run, in place of probabilities. A fault that is not on it does not happen.
// As text: testbench/tape.
#pragma once

#include "model/faults/fault_source.h"

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace rnicsim {

enum class FrameFault : std::uint8_t { lost, corrupted, duplicated, delayed, overtaken, marked };

/// Something happens to a frame. `value`: the bit that is flipped, or picoseconds.
struct TapedFrame {
    FrameName frame;
    FrameFault fault = FrameFault::lost;
    std::int64_t value = 0;
    friend bool operator==(const TapedFrame&, const TapedFrame&) = default;
};
/// An attempt of `end` to register memory for a transfer of another host fails. `attempt` counts from 0.
struct TapedRegistration {
    unsigned end = 0;
    unsigned initiator = 0;
    std::uint64_t transfer = 0;
    std::uint32_t attempt = 0;
    friend bool operator==(const TapedRegistration&, const TapedRegistration&) = default;
};
/// The n-th time, from 0, that another task of the host holds memory or does without.
struct TapedTask {
    unsigned end = 0;
    std::uint32_t task = 0;
    std::uint64_t n = 0;
    bool holds = false;
    Cycle time;
    friend bool operator==(const TapedTask&, const TapedTask&) = default;
};

using TapeEntry = std::variant<TapedFrame, TapedRegistration, TapedTask, LinkDown>;
/// In the order of the file or of the run.
using FaultTape = std::vector<TapeEntry>;

class TapeFaults final : public FaultSource {
  public:
    explicit TapeFaults(const FaultTape& tape);

    [[nodiscard]] bool concerns_frames(unsigned link) const override { return links_.contains(link); }
    FrameFate frame(const FrameName& name, Time sent, bool markable) override;
    std::optional<LinkDown> outage(unsigned link, Time from, Time until) override;
    bool registration_fails(unsigned end, unsigned initiator, std::uint64_t transfer, std::uint32_t attempt) override;
    bool holds_at_start(unsigned end, std::uint32_t task) override;
    Cycle task_time(unsigned end, std::uint32_t task, std::uint64_t n, bool holds) override;

    /// Faults of the tape that have not happened (yet).
    [[nodiscard]] std::uint64_t unused() const;

  private:
    template <typename T>
    struct Once {
        T what{};
        bool used = false;
    };
    std::set<unsigned> links_;  // on which something happens
    std::map<FrameName, Once<FrameFate>> frames_;
    std::map<std::tuple<unsigned, unsigned, std::uint64_t, std::uint32_t>, Once<bool>> registrations_;
    std::map<std::tuple<unsigned, std::uint32_t, std::uint64_t>, Once<TapedTask>> tasks_;
    std::vector<Once<LinkDown>> down_;
};

/// Passes every question on to another source and writes the tape of its faults.
class FaultRecorder final : public FaultSource {
  public:
    /// `source`: not owned.
    explicit FaultRecorder(FaultSource& source) : source_(source) {}

    [[nodiscard]] bool concerns_frames(unsigned link) const override { return source_.concerns_frames(link); }
    FrameFate frame(const FrameName& name, Time sent, bool markable) override;
    std::optional<LinkDown> outage(unsigned link, Time from, Time until) override;
    bool registration_fails(unsigned end, unsigned initiator, std::uint64_t transfer, std::uint32_t attempt) override;
    bool holds_at_start(unsigned end, std::uint32_t task) override { return source_.holds_at_start(end, task); }
    Cycle task_time(unsigned end, std::uint32_t task, std::uint64_t n, bool holds) override;

    [[nodiscard]] const FaultTape& tape() const { return tape_; }

  private:
    void note(const LinkDown& down);

    FaultSource& source_;
    FaultTape tape_;
    std::set<std::tuple<std::uint16_t, Time, Time>> downs_;  // on the tape
};

}  // namespace rnicsim
