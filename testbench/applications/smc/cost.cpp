// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/smc/cost.h"

#include "testbench/applications/application.h"

#include <algorithm>
#include <vector>

namespace rnicsim::applications::smc {

Cost cost_of(const SmcSettings& settings, std::uint64_t from, std::uint64_t bytes, std::uint32_t pmtu) {
    struct Piece {
        std::uint64_t bytes;
        bool blocked;  // who sends waits
    };
    std::vector<Piece> pieces;
    std::uint64_t rest = bytes, room = settings.rmb;
    const auto offer = [&] {
        while (rest != 0 && room != 0) {
            pieces.push_back({std::min(rest, room), settings.wait && rest >= room});
            rest -= pieces.back().bytes;
            if (settings.wait) room -= pieces.back().bytes;
        }
    };
    Cost cost;
    std::uint64_t untold = 0;
    offer();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Piece piece = pieces[i];
        const std::uint64_t first = std::min(piece.bytes, settings.rmb - from % settings.rmb);
        ++cost.pieces;
        cost.writes += first == piece.bytes ? 1 : 2;
        cost.packets += payload_packets_of(first, pmtu) + payload_packets_of(piece.bytes - first, pmtu);
        from += piece.bytes;
        for (std::uint64_t at = 0; at < piece.bytes; at += settings.read) {
            ++cost.reads;
            untold += std::min<std::uint64_t>(settings.read, piece.bytes - at);
            if (!settings.is_worth_telling(untold, piece.blocked)) continue;
            ++cost.updates;
            if (settings.wait) room += untold;
            untold = 0;
            offer();
        }
    }
    return cost;
}

}  // namespace rnicsim::applications::smc
