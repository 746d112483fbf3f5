// SPDX-License-Identifier: Apache-2.0
// A bridge to a parallel PCI bus between root complex and memory: one transaction at a time. Each DMA request costs
// arbitration, address phase and the target's latency; further pieces that come in time join its burst.
#pragma once

#include "model/host/config.h"
#include "tlm/time/clock.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <systemc>

namespace rnicsim {

class PciBridge : public sc_core::sc_module {
  public:
    /// Precondition: config.bytes_per_second > 0.
    PciBridge(sc_core::sc_module_name name, const BridgeConfig& config, const Clock& clock);

    tlm_utils::simple_target_socket<PciBridge> in{"in"};
    tlm_utils::simple_initiator_socket<PciBridge> out{"out"};

    /// A message of one double word, at `now`: returns when it has crossed.
    Cycle message(Cycle now);

    /// Requests that had to be arbitrated for; a burst counts once.
    [[nodiscard]] std::uint64_t requests() const { return requests_; }

  private:
    /// Occupies the bus from `from` on or when it is free; returns when that ends.
    Time occupy(Time from, std::int64_t bytes, bool follows_on);
    void access(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);

    const BridgeConfig config_;
    const Clock clock_;
    Time free_at_;  // the bus is busy until then
    std::uint64_t requests_ = 0;
};

}  // namespace rnicsim
