// The processor of a host whose programs are outside: what they ask for is done at its time, and what the card tells is
// handed on.
#pragma once

#include "model/host/verbs/host_software.h"
#include "model/host/verbs/verbs_host.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace rnicsim::programs {

class ProgramHost final : public HostSoftware {
  public:
    using Call = std::function<void(Cycle now)>;
    /// A CQE has become visible, an MSI has come.
    using Entry = std::function<void(Cycle now, rc::Cqn cq)>;
    using Interrupt = std::function<void(Cycle now, std::uint32_t vector)>;
    ProgramHost(VerbsHost& host, const Clock& clock, Cycle interrupt_latency, Entry entry, Interrupt interrupt);

    /// Of equal times in the order of the calls.
    void call_at(Cycle due, Call call);
    [[nodiscard]] const Clock& clock() const { return clock_; }
    /// Not before the present.
    [[nodiscard]] Cycle edge(Time at) const { return clock_.edge(std::max(at, current_time())); }

    void run(Cycle now) override;
    [[nodiscard]] Cycle next_due() const override { return calls_.empty() ? kNever : calls_.front().due; }
    void interrupt(Cycle at, std::uint32_t vector) override;
    [[nodiscard]] bool idle() const override { return calls_.empty(); }
    void written(std::uint64_t address, std::uint64_t bytes, Time visible) override;

  private:
    struct Planned {
        Cycle due;
        std::uint64_t number = 0;
        Call call;
        [[nodiscard]] bool later_than(const Planned& other) const {
            return due != other.due ? due > other.due : number > other.number;
        }
    };

    VerbsHost& host_;
    const Clock clock_;
    const Cycle interrupt_latency_;
    Entry entry_;
    Interrupt interrupt_;
    std::vector<Planned> calls_;  // a heap, the earliest in front
    std::uint64_t called_ = 0;
};

}  // namespace rnicsim::programs
