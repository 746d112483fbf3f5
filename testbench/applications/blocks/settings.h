// SPDX-License-Identifier: Apache-2.0
// How the nodes of a chain carry blocks to each other.
#pragma once

#include "model/keys/fields.h"
#include "model/traffic.h"
#include "tlm/time/time.h"

#include <algorithm>
#include <cstdint>

namespace rnicsim::applications {

enum class BlockOperation : std::uint8_t {
    sync,      ///< a node that is new, or was away, gets the blocks that it lacks
    broadcast  ///< a producer has its block verified by its peers
};

struct BlockSettings {
    BlockOperation operation = BlockOperation::sync;
    std::uint32_t window = 1;        ///< blocks that are not acknowledged: the printed algorithm 5 has one
    std::uint32_t irreversible = 0;  ///< of the blocks that are there in the beginning
    std::uint32_t history = 0;       ///< blocks that are there in the beginning, if others come
    Time interval;                   ///< from one new block to the next; 0: all are there in the beginning
    Time work = kMicrosecond * 100;  ///< to verify a block
    std::uint32_t heartbeat = 0;     ///< blocks from one TIME to the next; 0: none

    static constexpr std::uint32_t kMessage = 568;  ///< bytes of each control message, whatever it says
    static constexpr std::uint32_t kRegions = 64;   ///< bytes of the SEND that says where they go

    /// A TIME goes with so many blocks.
    [[nodiscard]] bool beats(std::uint32_t blocks) const { return heartbeat != 0 && blocks % heartbeat == 0; }
};

const Fields<BlockSettings>& block_fields();
[[nodiscard]] inline const BlockSettings& blocks_of(const TrafficConfig& item) {
    return item.settings.of<BlockSettings>();
}

/// Of a node's way to the head of a chain, blocks: behind which it asks for those that can be reversed, behind which it
/// is as far as the chain was, and all.
struct ChainParts {
    std::uint32_t irreversible = 0, history = 0, all = 0;
    [[nodiscard]] bool asks_for_irreversible() const { return irreversible != 0; }
    [[nodiscard]] bool asks_for_reversible() const { return history != irreversible; }
};
[[nodiscard]] inline ChainParts chain_of(const TrafficConfig& item) {
    const BlockSettings& of = blocks_of(item);
    const std::uint32_t all = item.transfers;
    return {std::min(of.irreversible, all), of.interval == Time{} ? all : std::min(of.history, all), all};
}

}  // namespace rnicsim::applications
