// SPDX-License-Identifier: Apache-2.0
// How often each PSN of a QP has been sent, as packets of one kind.
#pragma once

#include "tlm/roce/psn.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rnicsim {

class Transmissions {
  public:
    /// So often it was sent before. PSNs from a little before `settled` on are remembered, as those may be sent again;
    /// an older one may count from the first again.
    std::uint32_t count(std::uint32_t psn, std::uint32_t settled) {
        Sent& sent = place(psn, settled);
        if (sent.psn != psn) sent = {psn, 0};
        return sent.times++;
    }
    /// PSNs that it has room for.
    [[nodiscard]] std::size_t room() const { return sent_.size(); }

  private:
    static constexpr std::size_t kFirst = 256, kMost = std::size_t{1} << 23U;  // half of the PSNs: more are never open
    static constexpr std::uint32_t kLate = 64;  // answers to late copies have PSNs before `settled`
    static constexpr std::uint32_t kNone = ~0U;
    struct Sent {
        std::uint32_t psn = kNone;
        std::uint32_t times = 0;
    };

    /// Where it is, or will be.
    Sent& place(std::uint32_t psn, std::uint32_t settled) {
        if (sent_.empty()) sent_.resize(kFirst);
        for (;;) {
            Sent& sent = sent_[psn & (sent_.size() - 1)];
            if (sent.psn == psn || sent.psn == kNone || sent_.size() == kMost) return sent;
            if (roce::ahead(roce::Psn{sent.psn}, roce::Psn{settled} - kLate) < 0) return sent;
            grow();
        }
    }
    void grow() {
        std::vector<Sent> bigger(2 * sent_.size());
        for (const Sent& sent : sent_) {
            if (sent.psn != kNone) bigger[sent.psn & (bigger.size() - 1)] = sent;
        }
        sent_ = std::move(bigger);
    }

    std::vector<Sent> sent_;  // by PSN mod its size, a power of two; empty before the first one
};

}  // namespace rnicsim
