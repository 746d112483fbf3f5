#include "model/rnic/peer_table.h"

#include <algorithm>
#include <utility>

namespace rnicsim {

PeerTable::PeerTable(std::vector<MacAddress> addresses) : addresses_(std::move(addresses)) {
    sorted_.reserve(addresses_.size());
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
        sorted_.push_back({addresses_[i], Peer{static_cast<std::uint16_t>(i)}});
    }
    std::ranges::sort(sorted_, {}, &Entry::address);
}

std::optional<Peer> PeerTable::find(std::span<const std::uint8_t, 6> address) const {
    const auto before = [](const Entry& entry, std::span<const std::uint8_t, 6> wanted) {
        return std::ranges::lexicographical_compare(entry.address, wanted);
    };
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), address, before);
    if (found == sorted_.end() || !std::ranges::equal(found->address, address)) return std::nullopt;
    return found->peer;
}

}  // namespace rnicsim
