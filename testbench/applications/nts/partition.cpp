// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/partition.h"

#include "testbench/applications/nts/queue.h"

#include <algorithm>

namespace rnicsim::nts {
namespace {

using applications::nts_of;
using applications::NtsSettings;

Member member_of(const TrafficConfig& item) {
    const NtsSettings& of = nts_of(item);
    Member is;
    is.most = item.size;
    is.depth = item.verbs.depth;
    is.priority = static_cast<std::uint8_t>(of.priority);
    is.answer = of.answer;
    is.limit = of.limit(item.verbs.depth);
    return is;
}

void add(Partition& to, Member is) {
    for (unsigned side = 0; side < 2; ++side) {
        is.at.at(side) = static_cast<std::uint32_t>(to.bytes.at(side));
        to.bytes.at(side) += is.bytes(side);
    }
    is.entries_at = static_cast<std::uint32_t>(to.entry_bytes);
    to.entry_bytes += 2 * Queue::bytes(is.depth);
    to.members.push_back(is);
}

}  // namespace

bool is_placed(const TrafficConfig& item, unsigned from, unsigned to) {
    if (item.application != "nts" || nts_of(item).partitions == 0) return false;
    if (std::ranges::find(item.from, from) == item.from.end()) return false;
    return std::ranges::count(item.responders(from), to) != 0;
}

std::uint32_t placed_connections(const RunConfig& run, unsigned from, unsigned to) {
    std::uint32_t all = 0;
    for (const TrafficConfig& item : run.traffic)
        if (is_placed(item, from, to)) all += item.verbs.connections;
    return all;
}

Partition partition_of_one(const Member& one) {
    Partition all;
    add(all, one);
    all.me = all.members.front();
    return all;
}

Partition partition_of(const TrafficConfig& item, const applications::Seat& seat) {
    Partition all;
    const std::uint32_t partitions = nts_of(item).partitions;
    if (partitions == 0 || seat.run == nullptr) return partition_of_one(member_of(item));
    all.is_shared = true;
    const unsigned from = seat.side == 0 ? seat.host : seat.peer, to = seat.side == 0 ? seat.peer : seat.host;
    std::uint32_t before = 0;  // connections of items before this one
    for (const TrafficConfig& other : seat.run->traffic) {
        if (&other == &item) break;
        if (is_placed(other, from, to)) before += other.verbs.connections;
    }
    const std::uint32_t place = before + seat.connection;
    all.number = place % partitions;
    all.own = place / partitions;
    std::uint32_t number = 0;
    for (const TrafficConfig& other : seat.run->traffic) {
        if (!is_placed(other, from, to)) continue;
        for (std::uint32_t i = 0; i < other.verbs.connections; ++i)
            if (number++ % partitions == all.number) add(all, member_of(other));
    }
    all.me = all.members[all.own];
    return all;
}

}  // namespace rnicsim::nts
