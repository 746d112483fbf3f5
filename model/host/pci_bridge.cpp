#include "model/host/pci_bridge.h"

#include "tlm/pcie_tlp.h"

#include <algorithm>

namespace rnicsim {

PciBridge::PciBridge(sc_core::sc_module_name name, const BridgeConfig& config) : sc_module(name), config_(config) {
    in.register_b_transport(this, &PciBridge::access);
}

void PciBridge::access(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    const auto now_ps = static_cast<std::int64_t>((sc_core::sc_time_stamp() + delay).value());
    const std::int64_t across_ps = occupy(now_ps, transaction.get_data_length(), tlp(transaction).follows_on);
    delay += sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(across_ps - now_ps));
    out->b_transport(transaction, delay);
}

Cycle PciBridge::message(Cycle now) { return ceil_to_cycle(occupy(to_ps(now), 4, false)); }

std::int64_t PciBridge::occupy(std::int64_t from_ps, std::int64_t bytes, bool follows_on) {
    std::int64_t busy_ps = bytes * kPsPerSecond / config_.bytes_per_second;
    if (!follows_on || from_ps > free_ps_) {
        ++requests_;
        busy_ps += to_ps(config_.request_cost);
    }
    free_ps_ = std::max(from_ps, free_ps_) + busy_ps;
    return free_ps_;
}

}  // namespace rnicsim
