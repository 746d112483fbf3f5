// SPDX-License-Identifier: Apache-2.0
// What a responder still has to answer, in the order of the requests; and what it remembers of READs and atomics, to
// answer them again (V-S2).
#pragma once

#include "model/rnic/rc/counted_ring.h"
#include "tlm/roce/header.h"

#include <cstdint>
#include <vector>

namespace rnicsim::rc {

enum class AnswerKind : std::uint8_t {
    ack,
    nak,
    selective_nak,
    rnr_nak,
    read,
    atomic,
    executed,    ///< of a FLUSH or an ATOMIC WRITE: a READ response without a byte
    persist_ack  ///< V-P3
};

struct Answer {
    AnswerKind kind = AnswerKind::ack;
    roce::Psn psn;  ///< READ: of the first response of this run
    roce::Psn msn;
    std::uint8_t value = 0;  ///< NAK: NakCode; RNR NAK: code of the time
    roce::Psn arrived;       ///< selective NAK
    /// Writes to memory that have to be posted before it may leave, counted on by the responder (V-S4).
    std::uint32_t after = 0;
    bool first_time = false;  ///< READ, atomic, FLUSH, ATOMIC WRITE: counts against max_dest_rd_atomic
    // READ
    std::uint64_t address = 0;
    std::uint32_t key = 0;
    std::uint32_t length = 0;
    std::uint32_t packets = 1;
    std::uint32_t sent = 0;
    // atomic, FLUSH
    bool known = false;  ///< the unit has given the old value; it is flushed
    std::uint64_t original = 0;
};

/// A READ, atomic, FLUSH or ATOMIC WRITE that was accepted.
struct Remembered {
    bool valid = false;
    AnswerKind kind = AnswerKind::read;
    roce::Psn psn;
    std::uint32_t packets = 1;
    std::uint64_t address = 0;
    std::uint32_t key = 0;
    std::uint32_t length = 0;
    bool known = false;
    std::uint64_t original = 0;
};

/// The last max_dest_rd_atomic of them: a requester has no more outstanding.
class Memory {
  public:
    explicit Memory(std::size_t places = 0) : ring_(places) {}
    /// Precondition: there is a place at all.
    void remember(const Remembered& what) {
        ring_[next_] = what;
        ring_[next_].valid = true;
        next_ = (next_ + 1) % ring_.size();
    }
    /// The one that has this PSN, or nullptr. The newest: an old one may have had it before the numbers wrapped.
    [[nodiscard]] Remembered* find(roce::Psn psn) {
        for (std::size_t back = 1; back <= ring_.size(); ++back) {
            Remembered& r = ring_[(next_ + ring_.size() - back) % ring_.size()];
            if (r.valid && (psn - r.psn.n).n < r.packets) return &r;
        }
        return nullptr;
    }

    [[nodiscard]] const std::vector<Remembered>& all() const { return ring_; }

  private:
    std::vector<Remembered> ring_;
    std::size_t next_ = 0;
};

}  // namespace rnicsim::rc
