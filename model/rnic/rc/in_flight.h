// SPDX-License-Identifier: Apache-2.0
// Requests of a QP that are sent and not acknowledged: how many bytes they are, and when each left. Kept only for a
// congestion control that hears of ACKs (V-D7, V-D8). READs, atomics and FLUSHes are not among them: their answers are
// paced by who sends these, and take the time of its memory.
#pragma once

#include "model/rnic/rc/counted_ring.h"
#include "model/rnic/rc/verbs.h"
#include "tlm/time/time.h"

#include <cstdint>
#include <optional>

namespace rnicsim::rc {

class InFlight {
  public:
    /// Payload of all of them.
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    /// Precondition: what was acknowledged is not sent again, but behind forget().
    [[nodiscard]] bool holds(Psn psn) const {
        const auto at = place_of(psn);
        return at != packets_.end() && packets_[at].psn == psn;
    }
    /// Of a packet that leaves again the time counts no more: an ACK may be one of the first time (Karn's rule).
    void sent(Psn psn, std::uint32_t bytes, Time now, bool again) {
        const auto at = place_of(psn);
        if (at != packets_.end() && packets_[at].psn == psn) {
            packets_[at].again = true;
            return;
        }
        packets_.insert(at, {psn, bytes, now, again});
        bytes_ += bytes;
    }
    struct Acknowledged {
        std::uint32_t bytes = 0;
        std::optional<Time> left_at;  ///< of the last one, if it was sent once
    };
    /// All before `end` have been acknowledged.
    Acknowledged acknowledge(Psn end) {
        Acknowledged news;
        while (!packets_.empty() && ahead(end, packets_.front().psn) > 0) {
            const Packet packet = packets_.front();
            packets_.pop();
            news.bytes += packet.bytes;
            news.left_at.reset();
            if (!packet.again && packet.psn + 1 == end) news.left_at = packet.at;
        }
        bytes_ -= news.bytes;
        return news;
    }
    /// They are taken for lost: all will be sent again.
    void forget() {
        packets_.clear();
        bytes_ = 0;
    }

  private:
    struct Packet {
        Psn psn;
        std::uint32_t bytes = 0;
        Time at;
        bool again = false;
    };
    /// Where it is, or would have to be put: nearly always the end.
    [[nodiscard]] CountedRing<Packet>::Number place_of(Psn psn) const {
        auto at = packets_.end();
        while (at != packets_.first() && ahead(psn, packets_[at - 1].psn) <= 0) --at;
        return at;
    }

    CountedRing<Packet> packets_;  // in the order of their PSNs
    std::int64_t bytes_ = 0;
};

}  // namespace rnicsim::rc
