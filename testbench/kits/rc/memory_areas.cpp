// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/rc/memory_areas.h"

#include "model/rnic/rc/end/end_config.h"
#include "testbench/kits/rc/verbs_message.h"

#include <algorithm>

namespace rnicsim {

using What = MemoryArea::What;

MemoryAreas::MemoryAreas(const RunConfig& config, const VerbsLayout& layout) : areas_(config.names.size()) {
    for (const std::vector<VerbsLayout::Connection>* all : {&layout.connections, &layout.persists}) {
        for (std::size_t i = 0; i < all->size(); ++i) {
            const VerbsLayout::Connection& plan = (*all)[i];
            for (unsigned side = 0; side < 2; ++side) add(config.traffic[plan.item].verbs, plan.ends.at(side), i, side);
        }
    }
    for (unsigned host = 0; host < areas_.size(); ++host) {
        if (!is_verbs(config, host)) continue;
        for (const rc::CqRing& cq : layout.cqs[host])
            areas_[host].push_back({What::ring, cq.address, std::uint64_t{cq.entries} * rc::kCqeBytes, 0, 0});
        areas_[host].push_back({What::ring, layout.lines[host].address, layout.lines[host].bytes, 0, 0});
        if (const auto& shared = layout.shared[host]) {
            add(shared->ring, host, 0, 0);
            areas_[host].push_back({What::shared, shared->buffer.address, shared->buffer.bytes(), 0, 0});
        }
        std::ranges::sort(areas_[host], {}, &MemoryArea::address);
    }
}

/// Of a mix SENDs have a buffer of their own, and atomics a word; of a scheme SENDs, both ways.
void MemoryAreas::add(const VerbsTraffic& item, const VerbsLayout::End& end, std::size_t connection, unsigned side) {
    const auto put = [&](What what, std::uint64_t address, std::uint64_t bytes) {
        areas_[end.host].push_back({what, address, bytes, connection, side});
    };
    put(What::ring, end.sends.address, std::uint64_t{end.sends.entries} * end.sends.stride);
    const bool shares = end.receives.entries == 0;
    if (!shares) add(end.receives, end.host, connection, side);
    if (item.mix.empty() && item.scheme == PersistScheme::none) {
        put(rc::is_atomic(item.operation) ? What::word : What::out, end.out.address, end.out.bytes());
        put(is_send(item.operation) ? What::sends : What::in, end.in.address, end.in.bytes());
    } else {
        put(What::out, end.out.address, end.out.bytes());
        put(What::word, end.word.address, end.word.bytes());
        if (!shares) put(What::sends, end.received.address, end.received.bytes());
        put(What::in, end.in.address, end.in.bytes());
    }
}

void MemoryAreas::add(const rc::ReceiveRing& ring, unsigned host, std::size_t connection, unsigned side) {
    areas_[host].push_back({What::ring, ring.address, ring.bytes(), connection, side});
    areas_[host].push_back({What::ring, ring.record, rc::kRecordBytes, connection, side});
}

const MemoryArea* MemoryAreas::find(unsigned host, std::uint64_t address, std::uint64_t bytes) const {
    const std::vector<MemoryArea>& areas = areas_[host];
    const auto behind = std::ranges::upper_bound(areas, address, {}, &MemoryArea::address);
    if (behind == areas.begin()) return nullptr;
    const MemoryArea& area = *(behind - 1);
    return address - area.address + bytes <= area.bytes ? &area : nullptr;
}

}  // namespace rnicsim
