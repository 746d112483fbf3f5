// SPDX-License-Identifier: Apache-2.0
// What a card of an exploration makes durable: the real persist module, flush reads that come back when the search says
// so, and what lasts then. A flush read comes back behind all writes that were posted before it was sent, of whatever
// QP (PCIe base specification 2.4.1); nothing else makes anything last.
#pragma once

#include "model/rnic/rc/actions.h"
#include "model/rnic/rc/persist/pm_module.h"
#include "testbench/explore/rc/workload.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rnicsim::rc {

/// By QP of the card: so many of its requests' payloads, in the order in which they are posted.
using PostedCounts = std::array<std::uint8_t, 2>;

class Durable {
  public:
    explicit Durable(const PersistBounds& bounds) : module_({bounds.outstanding, bounds.coalesce, bounds.capacity}) {}

    [[nodiscard]] bool has_room() const { return module_.has_room(); }
    void accept(const PersistJob& job) { module_.accept({job.qp, job.psn, job.address.value_or(0)}); }
    /// The last write of the oldest job that was not, and so much of all.
    void posted(const PostedCounts& posted);

    [[nodiscard]] bool reads(std::uint32_t tag) const;
    [[nodiscard]] bool quiet() const { return reads_.empty(); }
    /// Flush read `tag` comes back. Precondition: reads(tag).
    void completed(std::uint32_t tag, const PostedCounts& posted);
    std::optional<Pack> next_pack() { return module_.next_pack(); }

    /// Payloads of this QP that last.
    [[nodiscard]] std::uint8_t lasting(std::uint8_t qp) const { return lasting_.at(qp); }

    /// All that can matter later, in numbers: add(number).
    template <typename Add>
    void each_number(Add&& add) const {
        module_.each_number(add);
        add(reads_.size());
        for (const Read& read : reads_) {
            add(read.tag);
            for (const std::uint8_t count : read.behind) add(count);
        }
        for (const std::uint8_t count : lasting_) add(count);
    }

  private:
    struct Read {
        std::uint32_t tag = 0;
        PostedCounts behind{};  ///< what was posted when it was sent
    };
    void send(const PostedCounts& posted);

    PmModule module_;
    std::vector<Read> reads_;  // under way
    PostedCounts lasting_{};
};

}  // namespace rnicsim::rc
