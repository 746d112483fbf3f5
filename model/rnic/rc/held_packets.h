// SPDX-License-Identifier: Apache-2.0
// Packets that wait in front of the decisions: for receive WQEs, or for what the card has to know of their QP. Those of
// a QP stay in order, others pass them.
#pragma once

#include "model/rnic/rc/counted_ring.h"
#include "model/rnic/rc/verbs.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace rnicsim::rc {

template <typename Packet>
class HeldPackets {
  public:
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] bool any_of(Qpn qp) const { return qp.n < of_.size() && !of_[qp.n].empty(); }

    void push(Qpn qp, Packet&& packet) {
        if (qp.n >= of_.size()) of_.resize(qp.n + 1);
        of_[qp.n].push(std::move(packet));
        ++size_;
    }
    /// Hands over the QP's packets in their order, until one is not taken.
    template <typename Take>
    void go_on(Qpn qp, Take&& take) {
        while (any_of(qp) && take(of_[qp.n].front())) {
            of_[qp.n].pop_front();
            --size_;
        }
    }

  private:
    std::vector<CountedRing<Packet>> of_;  // by QPN
    std::size_t size_ = 0;
};

}  // namespace rnicsim::rc
