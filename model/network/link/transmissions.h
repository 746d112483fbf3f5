// How often each PSN of a QP has been sent, as packets of one kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rnicsim {

class Transmissions {
  public:
    /// So often it was sent before. A PSN can be sent again as long as the other half of the PSNs has not been begun
    /// (IBTA vol. 1, 9.7.2); one that is older counts from the first again.
    std::uint32_t count(std::uint32_t psn) {
        Sent& sent = place(psn);
        if (sent.psn != psn) sent = {psn, 0};
        return sent.times++;
    }

  private:
    static constexpr std::size_t kFirst = 64, kMost = std::size_t{1} << 23U;
    struct Sent {
        std::uint32_t psn = kNone;
        std::uint32_t times = 0;
    };
    static constexpr std::uint32_t kNone = ~0U;

    /// Where it is, or may be.
    Sent& place(std::uint32_t psn) {
        if (sent_.empty()) sent_.resize(kFirst);
        for (;;) {
            Sent& sent = sent_[psn & (sent_.size() - 1)];
            if (sent.psn == psn || sent.psn == kNone || sent_.size() == kMost) return sent;
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
