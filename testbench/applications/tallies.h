// SPDX-License-Identifier: Apache-2.0
// What the ends of all connections of an application have counted, as its formulas are to be compared with.
#pragma once

#include "testbench/applications/application.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace rnicsim::applications {

class Tallies {
  public:
    /// `application` outlives it.
    explicit Tallies(const Application& application) : application_(application) {}
    /// The next connection: its item, which outlives this, its two hosts, what its ends have counted, and what they
    /// should have by the formula.
    void add(const TrafficConfig& item, const std::array<unsigned, 2>& hosts, const Counts& counts,
             const Counts& expected);
    /// By an end; of what is of its two hosts (Application::is_of_hosts(), is_summed()), by all that the end's host has
    /// for the other one.
    [[nodiscard]] std::uint64_t found(std::size_t connection, unsigned side, Count what) const;
    /// What that should be.
    [[nodiscard]] std::uint64_t wanted(std::size_t connection, unsigned side, Count what) const;

  private:
    struct Connection {
        const TrafficConfig* item = nullptr;
        std::array<unsigned, 2> hosts{};
        Counts counts{}, expected{};
    };
    using Hosts = std::pair<unsigned, unsigned>;  // a host, and the other one
    using OfHosts = std::map<Hosts, EndCounts>;
    [[nodiscard]] static Hosts hosts_of(const Connection& of, unsigned side) {
        return {of.hosts.at(side), of.hosts.at(1 - side)};
    }

    const Application& application_;
    std::vector<Connection> connections_;
    [[nodiscard]] static std::uint64_t in(const OfHosts& all, const Hosts& hosts, Count what);
    OfHosts of_hosts_, found_sums_, wanted_sums_;
};

}  // namespace rnicsim::applications
