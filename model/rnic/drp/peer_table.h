// SPDX-License-Identifier: Apache-2.0
// The ends that an RNIC has transfers with, by address. A DRP header names no end: the source address of its frame
// does.
#pragma once

#include "tlm/drp/ids.h"
#include "tlm/ethernet/frame.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rnicsim {

inline constexpr std::size_t kMostPeers = 1024;

class PeerTable {
  public:
    explicit PeerTable(std::vector<MacAddress> addresses);

    [[nodiscard]] const MacAddress& operator[](Peer peer) const { return addresses_.at(raw(peer)); }
    [[nodiscard]] std::size_t size() const { return addresses_.size(); }
    /// None if no peer has this address.
    [[nodiscard]] std::optional<Peer> find(std::span<const std::uint8_t, 6> address) const;

  private:
    struct Entry {
        MacAddress address{};
        Peer peer{};
    };
    std::vector<MacAddress> addresses_;
    std::vector<Entry> sorted_;  // by address
};

}  // namespace rnicsim
