// SPDX-License-Identifier: Apache-2.0
// Rings in the memory of a host: of QPs, CQs and SRQs of programs.
#include "testbench/programs/server/host_service.h"

#include <algorithm>

namespace rnicsim::programs {
namespace {

constexpr Time kRingRest = kMillisecond;  // until a ring serves anew: longer than any DMA of the card takes

}  // namespace

std::uint64_t HostService::take_ring(std::uint64_t bytes) {
    const auto at = rings_.take(bytes);
    if (!at) throw Refusal{ENOMEM};
    return *at;
}

Cycle HostService::rested() const { return host_.edge({}) + host_.clock().edge(kRingRest); }

void HostService::give_back(std::uint64_t ring, std::uint64_t bytes) {
    host_.call_at(rested(), [this, ring, bytes](Cycle) { rings_.give_back(ring, bytes); });
}
void HostService::give_back(const rc::CqRing& ring) {
    give_back(ring.address, std::uint64_t{ring.entries} * rc::kCqeBytes);
}
void HostService::give_back(const rc::ReceiveRing& ring) {
    give_back(ring.address, ring.bytes());
    give_back(ring.record, rc::kRecordBytes);
}

void HostService::give_back(rc::ReceiveQueueNumber queue) {
    host_.call_at(rested(), [this, queue](Cycle) { end_.host.queues.free_receive_queue(queue); });
}

/// All of its entries are the program's (V-C11).
rc::CqRing HostService::take_cq_ring(std::uint32_t cqes) {
    if (cqes == 0 || cqes > rc::kMostCqes) throw Refusal{EINVAL};
    rc::CqRing ring;
    ring.entries = ring_of(cqes);
    const std::uint64_t bytes = std::uint64_t{ring.entries} * rc::kCqeBytes;
    ring.address = take_ring(bytes);
    std::ranges::fill(end_.host.memory.at(ring.address, bytes), std::uint8_t{0});
    return ring;
}

rc::ReceiveRing HostService::take_receive_ring(std::uint32_t wqes) {
    rc::ReceiveRing ring;
    ring.entries = ring_of(wqes);
    ring.stride = rc::kMostReceiveWqeBytes;
    ring.record = take_ring(rc::kRecordBytes);
    const auto address = rings_.take(ring.bytes());
    if (!address) {
        rings_.give_back(ring.record, rc::kRecordBytes);
        throw Refusal{ENOMEM};
    }
    ring.address = *address;
    std::ranges::fill(end_.host.memory.at(ring.record, rc::kRecordBytes), std::uint8_t{0});
    return ring;
}

}  // namespace rnicsim::programs
