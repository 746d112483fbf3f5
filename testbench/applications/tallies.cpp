// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/tallies.h"

namespace rnicsim::applications {

void Tallies::add(const TrafficConfig& item, const std::array<unsigned, 2>& hosts, const Counts& counts,
                  const Counts& expected) {
    const Connection& of = connections_.emplace_back(Connection{&item, hosts, counts, expected});
    for (unsigned side = 0; side < 2; ++side) {
        for (std::size_t i = 0; i < kCounts; ++i) {
            const auto what = static_cast<Count>(i);
            const std::uint64_t count = counts.at(side)[what];
            if (count != 0 && application_.is_of_hosts(item, what)) of_hosts_[hosts_of(of, side)].add(what, count);
            if (!application_.is_summed(item, what)) continue;
            found_sums_[hosts_of(of, side)].add(what, count);
            wanted_sums_[hosts_of(of, side)].add(what, expected.at(side)[what]);
        }
    }
}

std::uint64_t Tallies::in(const OfHosts& all, const Hosts& hosts, Count what) {
    const auto found = all.find(hosts);
    return found == all.end() ? 0 : found->second[what];
}

std::uint64_t Tallies::found(std::size_t connection, unsigned side, Count what) const {
    const Connection& of = connections_.at(connection);
    if (application_.is_summed(*of.item, what)) return in(found_sums_, hosts_of(of, side), what);
    if (application_.is_of_hosts(*of.item, what)) return in(of_hosts_, hosts_of(of, side), what);
    return of.counts.at(side)[what];
}

std::uint64_t Tallies::wanted(std::size_t connection, unsigned side, Count what) const {
    const Connection& of = connections_.at(connection);
    if (application_.is_summed(*of.item, what)) return in(wanted_sums_, hosts_of(of, side), what);
    return of.expected.at(side)[what];
}

}  // namespace rnicsim::applications
