// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/peer_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace rnicsim {
namespace {

/// As one number, in any order: each frame that arrives is looked up.
std::uint64_t key_of(std::span<const std::uint8_t, 6> address) {
    std::uint64_t key = 0;
    std::memcpy(&key, address.data(), address.size());
    return key;
}

}  // namespace

PeerTable::PeerTable(std::vector<MacAddress> addresses) : addresses_(std::move(addresses)) {
    sorted_.reserve(addresses_.size());
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
        sorted_.push_back({addresses_[i], Peer{static_cast<std::uint16_t>(i)}});
    }
    std::ranges::sort(sorted_, {}, [](const Entry& entry) { return key_of(entry.address); });
}

std::optional<Peer> PeerTable::find(std::span<const std::uint8_t, 6> address) const {
    const std::uint64_t wanted = key_of(address);
    const auto found =
        std::ranges::lower_bound(sorted_, wanted, {}, [](const Entry& entry) { return key_of(entry.address); });
    if (found == sorted_.end() || key_of(found->address) != wanted) return std::nullopt;
    return found->peer;
}

}  // namespace rnicsim
