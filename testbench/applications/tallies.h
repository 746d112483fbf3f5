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
    /// The next connection: its item, which outlives this, its two hosts, and what its ends have counted.
    void add(const TrafficConfig& item, const std::array<unsigned, 2>& hosts, const Counts& counts);
    /// By an end; of what is of its two hosts (Application::is_of_hosts()), by all that the end's host has for the
    /// other one.
    [[nodiscard]] std::uint64_t found(std::size_t connection, unsigned side, Count what) const;

  private:
    struct Connection {
        const TrafficConfig* item = nullptr;
        std::array<unsigned, 2> hosts{};
        Counts counts{};
    };
    [[nodiscard]] static std::pair<unsigned, unsigned> hosts_of(const Connection& of, unsigned side) {
        return {of.hosts.at(side), of.hosts.at(1 - side)};
    }

    const Application& application_;
    std::vector<Connection> connections_;
    std::map<std::pair<unsigned, unsigned>, EndCounts> of_hosts_;  // by a host, and the other one
};

}  // namespace rnicsim::applications
