// The ends that an RNIC has transfers with, by address. A DRP header names no end: the source address of its frame
// does.
#pragma once

#include "tlm/ethernet_frame.h"
#include "tlm/units.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rnicsim {

inline constexpr std::size_t kMostPeers = 1024;

class PeerTable {
  public:
    explicit PeerTable(std::vector<MacAddress> addresses) : addresses_(std::move(addresses)) {
        sorted_.reserve(addresses_.size());
        for (std::size_t i = 0; i < addresses_.size(); ++i) {
            sorted_.push_back({addresses_[i], Peer{static_cast<std::uint16_t>(i)}});
        }
        std::ranges::sort(sorted_, {}, &Entry::address);
    }

    [[nodiscard]] const MacAddress& operator[](Peer peer) const { return addresses_.at(raw(peer)); }
    [[nodiscard]] std::size_t size() const { return addresses_.size(); }
    /// None if no peer has this address.
    [[nodiscard]] std::optional<Peer> find(std::span<const std::uint8_t, 6> address) const {
        const auto before = [](const Entry& entry, std::span<const std::uint8_t, 6> wanted) {
            return std::ranges::lexicographical_compare(entry.address, wanted);
        };
        const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), address, before);
        if (found == sorted_.end() || !std::ranges::equal(found->address, address)) return std::nullopt;
        return found->peer;
    }

  private:
    struct Entry {
        MacAddress address{};
        Peer peer{};
    };
    std::vector<MacAddress> addresses_;
    std::vector<Entry> sorted_;
};

}  // namespace rnicsim
