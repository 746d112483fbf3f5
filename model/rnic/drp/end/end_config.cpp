// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/end/end_config.h"

#include "tlm/ethernet/frame.h"

#include <algorithm>
#include <set>

namespace rnicsim {

std::size_t DrpEndConfig::largest_frame() const { return kFrameRoom; }

RunConfig two_drp_hosts() {
    RunConfig run;
    run.hosts.assign(2, DrpEndConfig{});
    return run;
}

std::vector<unsigned> peers_of(const RunConfig& run, unsigned host) {
    // Two hosts know each other, whoever asks.
    if (const std::vector<unsigned> all = drp_hosts(run); all.size() == 2) return {all[0] == host ? all[1] : all[0]};
    std::set<unsigned> peers;
    for (const TrafficConfig& item : run.traffic) {
        const std::vector<unsigned> asked = item.responders(host), asking = item.initiators(host);
        peers.insert(asked.begin(), asked.end());
        peers.insert(asking.begin(), asking.end());
    }
    return {peers.begin(), peers.end()};
}

}  // namespace rnicsim
