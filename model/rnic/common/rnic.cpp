// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/common/rnic.h"

#include <algorithm>
#include <utility>

namespace rnicsim {

Rnic::Rnic(sc_core::sc_module_name name, const Clock& clock, const PcieConfig& pcie_config, Blocks blocks,
           const Ahead& ahead, PciePool& transactions)
    : sc_module(name),
      ahead_(ahead),
      wakeup_("wakeup", clock),
      timers_("timers", clock),
      pcie("pcie", pcie_config, std::move(blocks.dma), transactions, *this, wakeup_),
      gmac("gmac", clock, std::move(blocks.mac)) {
    SC_HAS_PROCESS(Rnic);
    SC_METHOD(wake);
    wakeup_.wakes(sensitive);
    timers_.wakes(sensitive);
    dont_initialize();
}

/// Acts in this cycle, and in the following ones as long as no other module can reach it in them.
void Rnic::wake() {
    const Cycle kernel = wakeup_.woke();
    timers_.passed(kernel);
    if (kernel <= now_) return sleep(next_due(now_));  // this cycle is done already
    const Cycle reached = kernel + ahead_.lookahead;
    now_ = kernel;
    while (true) {
        cycle(now_);
        const Due due = next_due(now_);
        const Cycle next = std::min(due.work, due.deadline);
        if (next > now_ && (next >= reached || !ahead_.horizon.covers(wakeup_.clock().time(next)))) return sleep(due);
        now_ = std::max(now_, next);
    }
}

void Rnic::sleep(const Due& due) {
    wakeup_.sleep_until(due.work);
    if (due.deadline != kNever) timers_.at(due.deadline);
}

}  // namespace rnicsim
