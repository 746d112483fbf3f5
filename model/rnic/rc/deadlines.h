// SPDX-License-Identifier: Apache-2.0
// When which QP's timer expires next. A timer that moves to a later time costs nothing: its old entry is looked at when
// it comes up.
#pragma once

#include "model/rnic/rc/verbs.h"
#include "tlm/time/time.h"

#include <algorithm>
#include <compare>
#include <optional>
#include <vector>

namespace rnicsim::rc {

class Deadlines {
  public:
    struct Entry {
        Time at;
        Qpn qp;
        friend constexpr auto operator<=>(const Entry&, const Entry&) = default;
    };

    void add(Entry entry) {
        heap_.push_back(entry);
        std::ranges::push_heap(heap_, later);
    }
    /// The earliest one. In one instant the lowest QP comes first.
    [[nodiscard]] std::optional<Entry> earliest() const {
        if (heap_.empty()) return {};
        return heap_.front();
    }
    /// Precondition: there is one.
    void pop() {
        std::ranges::pop_heap(heap_, later);
        heap_.pop_back();
    }

  private:
    static bool later(const Entry& a, const Entry& b) { return b < a; }
    std::vector<Entry> heap_;
};

}  // namespace rnicsim::rc
