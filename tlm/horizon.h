// SPDX-License-Identifier: Apache-2.0
// How far ahead of the kernel's time a module may act (temporal decoupling in TLM-2.0's words, but exact).
#pragma once

#include "tlm/time/time.h"

namespace rnicsim {

/// One for a system. A module may do at once what is due later, if it knows that nothing can come in between. This
/// saves activations of its process and changes no result, only the order in which observers get the events of
/// different modules.
class Horizon {
  public:
    /// `end`: the end of the present sc_start(), exclusive (SystemC leaves what is due in it to the next call). Nothing
    /// that is due from then on may be done: between two calls the system must be as it is at that time.
    void set(Time end) { end_ = end; }
    [[nodiscard]] bool covers(Time due) const { return due < end_; }

  private:
    Time end_;  // 0: nothing is done ahead of time
};

}  // namespace rnicsim
