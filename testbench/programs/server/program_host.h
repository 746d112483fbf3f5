// SPDX-License-Identifier: Apache-2.0
// The processor of a host whose programs are outside: what they ask for is done at its time, and what the card tells is
// handed on.
#pragma once

#include "model/host/verbs/host_software.h"
#include "model/host/verbs/verbs_host.h"

#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

namespace rnicsim::programs {

class ProgramHost final : public HostSoftware {
  public:
    using Call = std::function<void(Cycle now)>;
    /// A CQE has become visible, an MSI has come.
    using Entry = std::function<void(Cycle now, rc::Cqn cq)>;
    using Interrupt = std::function<void(Cycle now, std::uint32_t vector)>;
    /// `to_program`: from an MSI until a program is told.
    ProgramHost(VerbsHost& host, const Clock& clock, Cycle to_program, Entry entry, Interrupt interrupt);

    /// Which of several threads that ask while time stands still comes first: the least.
    using Rank = std::uint64_t;
    /// Of equal times in the order of the calls; those of threads between two pauses in the order of their ranks, as
    /// the machine's scheduler has them ask in any.
    void call_at(Cycle due, Call call, Rank rank = kNoThread);
    /// Time stands still from here on, until threads have asked.
    void pause() { ++pauses_; }
    [[nodiscard]] const Clock& clock() const { return clock_; }
    /// Not before the present.
    [[nodiscard]] Cycle edge(Time at) const { return clock_.edge(std::max(at, current_time())); }

    void run(Cycle now) override;
    [[nodiscard]] Cycle next_due() const override { return calls_.empty() ? kNever : calls_.front().due; }
    void interrupt(Cycle at, std::uint32_t vector) override;
    [[nodiscard]] bool idle() const override { return calls_.empty(); }
    void written(std::uint64_t address, std::uint64_t bytes, Time visible) override;

  private:
    static constexpr Rank kNoThread = ~Rank{0};  // time goes on again: behind all that threads have asked for before
    struct Planned {
        Cycle due;
        std::uint64_t pauses = 0;  ///< before it was planned
        Rank rank = kNoThread;
        std::uint64_t number = 0;
        Call call;
        [[nodiscard]] bool later_than(const Planned& other) const {
            return std::tie(due, pauses, rank, number) > std::tie(other.due, other.pauses, other.rank, other.number);
        }
    };

    VerbsHost& host_;
    const Clock clock_;
    const Cycle to_program_;
    Entry entry_;
    Interrupt interrupt_;
    std::vector<Planned> calls_;  // a heap, the earliest in front
    std::uint64_t called_ = 0, pauses_ = 0;
};

}  // namespace rnicsim::programs
