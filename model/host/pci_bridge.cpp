// SPDX-License-Identifier: Apache-2.0
#include "model/host/pci_bridge.h"

#include "tlm/pcie/pcie_tlp.h"
#include "tlm/wakeup.h"

#include <algorithm>

namespace rnicsim {

PciBridge::PciBridge(sc_core::sc_module_name name, const BridgeConfig& config, const Clock& clock)
    : sc_module(name), config_(config), clock_(clock) {
    in.register_b_transport(this, &PciBridge::access);
}

void PciBridge::access(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    const Time now = current_time() + to_time(delay);
    const Time across = occupy(now, transaction.get_data_length(), tlp(transaction).follows_on);
    delay += to_sc_time(across - now);
    out->b_transport(transaction, delay);
}

Cycle PciBridge::message(Cycle now) { return clock_.edge(occupy(clock_.time(now), 4, false)); }

Time PciBridge::occupy(Time from, std::int64_t bytes, bool follows_on) {
    Time busy = time_of(bytes, config_.bytes_per_second);
    if (!follows_on || from > free_at_) {
        ++requests_;
        busy += clock_.time(config_.request_cost);
    }
    free_at_ = std::max(from, free_at_) + busy;
    return free_at_;
}

}  // namespace rnicsim
