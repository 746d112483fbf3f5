// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/tallies.h"

namespace rnicsim::applications {

void Tallies::add(const TrafficConfig& item, const std::array<unsigned, 2>& hosts, const Counts& counts) {
    const Connection& of = connections_.emplace_back(Connection{&item, hosts, counts});
    for (unsigned side = 0; side < 2; ++side) {
        for (std::size_t i = 0; i < kCounts; ++i) {
            const auto what = static_cast<Count>(i);
            const std::uint64_t count = counts.at(side)[what];
            if (count != 0 && application_.is_of_hosts(item, what)) of_hosts_[hosts_of(of, side)].add(what, count);
        }
    }
}

std::uint64_t Tallies::found(std::size_t connection, unsigned side, Count what) const {
    const Connection& of = connections_.at(connection);
    if (!application_.is_of_hosts(*of.item, what)) return of.counts.at(side)[what];
    const auto found = of_hosts_.find(hosts_of(of, side));
    return found == of_hosts_.end() ? 0 : found->second[what];
}

}  // namespace rnicsim::applications
