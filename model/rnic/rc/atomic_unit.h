// SPDX-License-Identifier: Apache-2.0
// The atomic unit: reads eight bytes of host memory, changes them, writes them back (V-S8). Jobs of a word wait for
// each other, in their order; those of different words do not, or all do.
#pragma once

#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/rc/counted_ring.h"
#include "model/rnic/rc/rc_transport.h"

#include <cstdint>
#include <unordered_map>

namespace rnicsim::rc {

class AtomicUnit final : private DmaClient {
  public:
    /// `rest`: from the end of a job to the next one that waits for it. `by_address`: only jobs of one word wait.
    AtomicUnit(const Clock& clock, Cycle rest, bool by_address, PcieEndpoint& pcie, FramePool& frames,
               RcTransport& transport)
        : clock_(clock), rest_(rest), by_address_(by_address), pcie_(pcie), frames_(frames), transport_(transport) {}

    void ask(const AtomicJob& job);
    /// Begins all jobs that may.
    void run(Cycle now);
    [[nodiscard]] Cycle next_due() const;
    [[nodiscard]] bool idle() const { return asked_ == done_; }
    [[nodiscard]] std::uint64_t done() const { return done_; }

  private:
    /// Jobs that wait for each other; the first one may be under way.
    struct Line {
        CountedRing<AtomicJob> jobs;
    };
    struct Rest {
        Cycle end;
        std::uint64_t line = 0;
    };
    void begin(Cycle now, std::uint64_t line);
    void read_done(Cycle now, std::uint64_t context, FrameRef frame) override;

    const Clock clock_;
    const Cycle rest_;
    const bool by_address_;
    PcieEndpoint& pcie_;
    FramePool& frames_;
    RcTransport& transport_;
    std::unordered_map<std::uint64_t, Line> lines_;  // by word, or one of all; gone when it has rested and nobody waits
    CountedRing<std::uint64_t> fresh_;               // lines whose first job waits for nobody
    CountedRing<Rest> resting_;                      // in the order of their ends
    std::uint64_t asked_ = 0, done_ = 0;
};

}  // namespace rnicsim::rc
