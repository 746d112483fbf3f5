// The atomic unit: reads eight bytes of host memory, changes them, writes them back; one job at a time (V-S8).
#pragma once

#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/rc/counted_ring.h"
#include "model/rnic/rc/rc_transport.h"

#include <cstdint>

namespace rnicsim::rc {

class AtomicUnit final : private DmaClient {
  public:
    /// `rest`: from the end of a job to the next one.
    AtomicUnit(const Clock& clock, Cycle rest, PcieEndpoint& pcie, FramePool& frames, RcTransport& transport)
        : clock_(clock), rest_(rest), pcie_(pcie), frames_(frames), transport_(transport) {}

    void ask(const AtomicJob& job) { jobs_.push(job); }
    /// Begins the next job, if it can.
    void run(Cycle now);
    [[nodiscard]] Cycle next_due() const { return busy_ || jobs_.empty() ? kNever : free_at_; }
    [[nodiscard]] bool idle() const { return jobs_.empty(); }
    [[nodiscard]] std::uint64_t done() const { return done_; }

  private:
    void read_done(Cycle now, std::uint64_t context, FrameRef frame) override;

    const Clock clock_;
    const Cycle rest_;
    PcieEndpoint& pcie_;
    FramePool& frames_;
    RcTransport& transport_;
    CountedRing<AtomicJob> jobs_;  // the first one may be under way
    bool busy_ = false;
    Cycle free_at_;
    std::uint64_t done_ = 0;
};

}  // namespace rnicsim::rc
