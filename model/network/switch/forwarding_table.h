// SPDX-License-Identifier: Apache-2.0
// By which port a frame to a host leaves a switch: as computed beforehand, or as learnt from those that have come from
// there (IEEE 802.1Q 8.7 and 8.8).
#pragma once

#include "model/network/switch/config.h"
#include "tlm/time/time.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace rnicsim {

class ForwardingTable {
  public:
    /// `routes`: by host, the port that leads to it, which is beyond the ports if none does. A table that learns starts
    /// empty, and knows these hosts only.
    ForwardingTable(const SwitchConfig& config, std::vector<std::size_t> routes, std::size_t ports);

    /// A frame from this host has come by this port.
    void learn(unsigned host, std::size_t port, Time now);
    /// The port, but never that which it came by: then, and where nobody knows one, kNone. kAll: the host is unknown,
    /// and the table learns.
    [[nodiscard]] std::size_t way(std::optional<unsigned> to, std::size_t from_port, Time now) const;

    static constexpr std::size_t kNone = ~std::size_t{0}, kAll = kNone - 1;

  private:
    struct Entry {
        std::size_t port = 0;
        Time seen;
        bool known = false;
    };
    const bool learns_;
    const Time ageing_;
    std::vector<Entry> entries_;  // by host
};

}  // namespace rnicsim
