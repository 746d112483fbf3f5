// SPDX-License-Identifier: Apache-2.0
// A partition: a pair of rings between two hosts, one each way, and the thread at each end that runs them. Connections
// of a pair of hosts are placed in its partitions in turn, in the order of the run's items; the first one of a
// partition has its threads. Without run.nts.partitions each connection has a partition of its own.
#pragma once

#include "testbench/applications/application.h"
#include "testbench/applications/nts/settings.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rnicsim::nts {

/// A connection in a partition.
struct Member {
    std::uint32_t most = 0, depth = 0;  ///< bytes of a message; messages under way
    std::uint8_t priority = 0;          ///< 0: the first
    std::uint32_t limit = 0;            ///< messages in the queue of who takes them, at most; 0: there cannot be more
    bool answer = false;                ///< its messages are sent back
    std::array<std::uint32_t, 2> at{};  ///< by side: where its messages are, in the memory of all members
    std::uint32_t entries_at = 0;       ///< ... its queues to and from the threads of the rings
    [[nodiscard]] bool sends(unsigned side) const { return side == 0 || answer; }
    [[nodiscard]] bool takes(unsigned side) const { return side == 1 || answer; }
    /// Messages that come, behind those that go.
    [[nodiscard]] std::uint32_t came_at(unsigned side) const { return at.at(side) + (sends(side) ? depth * most : 0); }
    /// Bytes of its messages at a side.
    [[nodiscard]] std::uint64_t bytes(unsigned side) const {
        return std::uint64_t{most} * depth * ((sends(side) ? 1U : 0U) + (takes(side) ? 1U : 0U));
    }
};

struct Partition {
    std::vector<Member> members;
    Member me;                             ///< the connection
    std::uint32_t own = 0;                 ///< which of them that is; 0 has the threads of the rings
    std::uint32_t number = 0;              ///< among those of its two hosts
    bool is_shared = false;                ///< it has not been made for one connection
    std::array<std::uint64_t, 2> bytes{};  ///< by side: of all members' messages
    std::uint64_t entry_bytes = 0;         ///< of all their queues

    // What the ends tell of their queues, a word: behind the messages.
    /// To the other end, of a member.
    [[nodiscard]] std::uint32_t told_at(unsigned side, std::uint32_t member) const {
        return static_cast<std::uint32_t>(bytes.at(side)) + member * kWord;
    }
    /// From there.
    [[nodiscard]] std::uint32_t heard_at(unsigned side) const { return told_at(side, size()); }
    [[nodiscard]] std::uint64_t bytes_with_words(unsigned side) const { return heard_at(side) + kWord; }
    /// The number that stands for none of them: what the ends tell.
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(members.size()); }

    [[nodiscard]] bool has_rings() const { return own == 0; }
};

/// Of a connection that has rings of its own; where its messages are is worked out.
[[nodiscard]] Partition partition_of_one(const Member& one);
/// The connection's. The item is one of the run's, if there is one.
[[nodiscard]] Partition partition_of(const TrafficConfig& item, const applications::Seat& seat);
/// Is it one of those whose connections from this host to that one are placed in partitions?
[[nodiscard]] bool is_placed(const TrafficConfig& item, unsigned from, unsigned to);
/// Connections from this host to that one that are placed in partitions: of all items.
[[nodiscard]] std::uint32_t placed_connections(const RunConfig& run, unsigned from, unsigned to);

}  // namespace rnicsim::nts
