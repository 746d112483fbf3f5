// SPDX-License-Identifier: Apache-2.0
// How long frames take from node to node of a network when they wait for nobody.
#pragma once

#include "model/config.h"
#include "tlm/time/time.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {

/// The timing of each host's own link.
std::vector<MacTiming> wires_of_hosts(const RunConfig& run);

class Hops {
  public:
    explicit Hops(const RunConfig& run);

    /// Nodes by their numbers: hosts, then switches.
    [[nodiscard]] const std::string& name(unsigned node) const { return names_[node]; }
    /// The last byte reaches the switch -> the last byte reaches the next node, store and forward. `bytes`: FCS
    /// included.
    [[nodiscard]] Time shortest(unsigned at_switch, unsigned next, std::uint32_t bytes) const;

  private:
    struct Hop {
        MacTiming timing;
        Time other;  // latency and delay
    };
    HostNames names_;
    std::map<std::pair<unsigned, unsigned>, Hop> hops_;  // by switch and next node
};

}  // namespace rnicsim
