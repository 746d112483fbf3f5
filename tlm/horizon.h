// How far ahead of the kernel's time a module may act (temporal decoupling in TLM-2.0's words, but exact).
#pragma once

#include "tlm/units.h"

namespace rnicsim {

/// Of a system. A module may act at once upon what is due later, if it knows that nothing can come in between. It saves
/// an activation of a process and changes no result: only the order in which observers hear of events in different
/// modules.
class Horizon {
  public:
    /// `end`: the cycle up to which the kernel has been told to simulate, exclusive (SystemC leaves what is due in it
    /// to the next sc_start). What is due from then on has to wait: whoever looks at the system between two stretches
    /// finds it as it is in that cycle.
    void set(Cycle end) { end_ = end; }
    [[nodiscard]] bool covers(Cycle due) const { return due < end_; }

  private:
    Cycle end_;  // 0: nothing is done ahead of time
};

}  // namespace rnicsim
