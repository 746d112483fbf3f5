// SPDX-License-Identifier: Apache-2.0
// Sums that have to be equal: what goes in and what comes out.
#pragma once

#include "testbench/events/microseconds.h"
#include "tlm/wakeup.h"

#include <cstdint>
#include <string>

namespace rnicsim {

/// Throws nothing: keeps the first sum that is wrong.
class Sums {
  public:
    void equal(const std::string& place, const char* what, std::uint64_t in, std::uint64_t out) {
        if (in == out || !wrong_.empty()) return;
        wrong_ = "invariant violated at " + exact_microseconds(current_time()) + " us: " + place + ": " + what + ": " +
                 std::to_string(in) + " are not " + std::to_string(out);
    }
    [[nodiscard]] const std::string& wrong() const { return wrong_; }

  private:
    std::string wrong_;
};

}  // namespace rnicsim
