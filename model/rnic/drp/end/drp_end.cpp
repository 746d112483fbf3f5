// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/end/drp_end.h"

#include "model/rnic/drp/end/end_config.h"
#include "tlm/ethernet/host_address.h"

#include <algorithm>
#include <vector>

namespace rnicsim {
namespace {

std::vector<MacAddress> addresses_of(const std::vector<unsigned>& hosts) {
    std::vector<MacAddress> addresses;
    addresses.reserve(hosts.size());
    for (const unsigned host : hosts) addresses.push_back(mac_address(host));
    return addresses;
}

/// The least time between a cycle and the first one in which the host or the wire can reach an RNIC. Verilog is
/// clocked by the kernel's time, and frames that overtake one another are taken in the order in which they are sent.
Cycle lookahead(const RunConfig& run, unsigned host) {
    const bool models = std::ranges::all_of(
        drp_hosts(run), [&](unsigned other) { return drp_of(run, other).rnic.blocks == BlockNames(); });
    if (!models || !frames_keep_order(run) || run.tape != nullptr) return Cycle{1};
    const Cycle from_host = drp_of(run, host).rnic.pcie.latency + Cycle{1};  // at least a cycle on the link
    return std::min(from_host, serialisation(kMinFrameBytes));
}

}  // namespace

DrpEnd::DrpEnd(sc_core::sc_module_name name, const Environment& environment, std::uint64_t memory_bytes,
               const BlockFactory& blocks)
    : CardEnd(name),
      host("host",
           {drp_of(environment.run, environment.host).host,
            drp_of(environment.run, environment.host).rnic.transport.method, environment.host,
            PeerHosts(peers_of(environment.run, environment.host)), environment.faults},
           drp_of(environment.run, environment.host).rnic.pcie, memory_bytes, environment.transactions,
           environment.horizon),
      rnic("rnic", drp_of(environment.run, environment.host).rnic,
           {mac_address(environment.host), addresses_of(peers_of(environment.run, environment.host)),
            drp_of(environment.run, environment.host).host.receive_ring, blocks},
           {lookahead(environment.run, environment.host), environment.horizon}, environment.frames,
           environment.transactions) {
    join(host, rnic, environment);
}

}  // namespace rnicsim
