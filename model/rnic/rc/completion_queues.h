// SPDX-License-Identifier: Apache-2.0
// Completion queues: CQEs go to their rings in host memory, and a queue that is armed raises its interrupt, once.
#pragma once

#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/rc/context_lines.h"
#include "model/rnic/rc/counted_ring.h"
#include "model/rnic/rc/rings.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace rnicsim::rc {

struct CqRing {
    std::uint64_t address = 0;
    std::uint32_t entries = 0;  ///< a power of two, at most kMostCqes
};

class CompletionQueues {
  public:
    /// `attributes`: of the TLPs that write entries.
    CompletionQueues(PcieEndpoint& pcie, FramePool& frames, ContextLines& lines, const Clock& clock,
                     TlpAttributes attributes)
        : pcie_(pcie), frames_(frames), lines_(lines), clock_(clock), attributes_(attributes) {}

    Cqn create(const CqRing& ring);
    /// Its number is the next one's. Precondition: no QP has it, and nothing of it is on its way.
    void destroy(Cqn cq) { free_.push_back(cq); }
    /// Entries go to another ring from now on. Returns the number of the first of them, counted on.
    std::uint32_t move(Cqn cq, const CqRing& ring);
    /// The host's register: it has taken entries up to `consumer`; `word` is the queue's number and page's bits.
    void arm(Cycle now, std::uint32_t word, std::uint32_t consumer);
    /// False: the ring is full, and the completion lost, as are all that come for this queue from now on (V-C11).
    bool write(Cycle now, const Completion& completion);
    /// How many entries of a queue the host has taken, counted on: of its record in memory. A card looks there when the
    /// ring seems full to it; this one does so in no time.
    using Taken = std::function<std::uint32_t(Cqn)>;
    void set_records(Taken taken) { taken_ = std::move(taken); }
    /// The CQ's context is on the card, for which completions waited.
    void line_came(Cycle now, Cqn cq);

    struct Counters {
        std::uint64_t completions = 0, errors = 0, interrupts = 0, overruns = 0;
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    enum class Armed : std::uint8_t { no, solicited, any };
    struct Queue {
        CqRing ring;
        std::uint32_t producer = 0, consumer = 0;  // counted on; what waits is not produced yet
        CountedRing<Completion> waiting_for_line;
        Armed armed = Armed::no;
        bool waiting = false, solicited_waiting = false;  // entries since it was last armed
        bool failed = false;                              // it was full once
    };
    [[nodiscard]] static bool is_full(const Queue& queue);
    void produce(Cycle now, Queue& queue, const Completion& completion);
    void raise(Cycle now, Queue& queue, std::uint32_t number);

    PcieEndpoint& pcie_;
    FramePool& frames_;
    ContextLines& lines_;
    const Clock clock_;
    const TlpAttributes attributes_;
    std::vector<Queue> queues_;
    std::vector<Cqn> free_;  // the last one is taken first
    Taken taken_;
    Counters counters_;
};

}  // namespace rnicsim::rc
