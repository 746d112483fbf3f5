// SPDX-License-Identifier: Apache-2.0
// Which hosts an end has transfers with, by Peer: what its RNIC knows by address, the software above knows by number.
#pragma once

#include "tlm/drp/ids.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace rnicsim {

class PeerHosts {
  public:
    explicit PeerHosts(std::vector<unsigned> hosts) : hosts_(std::move(hosts)) {}

    [[nodiscard]] std::size_t size() const { return hosts_.size(); }
    [[nodiscard]] unsigned operator[](Peer peer) const { return hosts_.at(raw(peer)); }
    /// Precondition: it is one of them.
    [[nodiscard]] Peer of(unsigned host) const {
        return Peer{static_cast<std::uint16_t>(std::ranges::find(hosts_, host) - hosts_.begin())};
    }
    [[nodiscard]] auto begin() const { return hosts_.begin(); }
    [[nodiscard]] auto end() const { return hosts_.end(); }

  private:
    std::vector<unsigned> hosts_;
};

}  // namespace rnicsim
