// SPDX-License-Identifier: Apache-2.0
// Ways through a network: for each switch the port that leads to each host.
#pragma once

#include "model/network/link/config.h"

#include <array>
#include <cstddef>
#include <vector>

namespace rnicsim {

/// Shortest in links; of several equally short the one over the port that comes first in the scenario.
class Routes {
  public:
    Routes(std::size_t hosts, std::size_t switches, const std::vector<LinkConfig>& links);

    /// A port of a switch: one side of a link.
    struct Port {
        std::size_t link = 0;
        unsigned side = 0;  ///< the switch's own
    };
    /// The ports of a switch, in the order of the links.
    [[nodiscard]] const std::vector<Port>& ports(std::size_t of_switch) const { return ports_.at(of_switch); }
    /// By host: the port of this switch that leads to it, or the number of ports if none does.
    [[nodiscard]] const std::vector<std::size_t>& to_hosts(std::size_t of_switch) const { return to_.at(of_switch); }
    /// The links of a host; exactly one in a legal network.
    [[nodiscard]] const std::vector<Port>& of_host(std::size_t host) const { return hosts_.at(host); }

    /// The links from one host to another, in order; nothing if there is no way. A switch cannot be crossed by a host.
    [[nodiscard]] std::vector<Port> path(unsigned from, unsigned to) const;

  private:
    [[nodiscard]] Node other_end(const Port& port) const { return links_.at(port.link).at(1 - port.side); }

    std::vector<std::array<Node, 2>> links_;
    std::vector<std::vector<Port>> hosts_;      // by host
    std::vector<std::vector<Port>> ports_;      // by switch
    std::vector<std::vector<std::size_t>> to_;  // by switch, then host
};

}  // namespace rnicsim
