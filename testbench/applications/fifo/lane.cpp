// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/fifo/lane.h"

namespace rnicsim::applications::fifo {

Plan plan_of(const Lane& lane) {
    const std::uint32_t slots = lane.settings->slots;
    Plan plan;
    plan.stream = true;
    for (Plan::Side& side : plan.sides) {
        side.areas = {{.bytes = kHello},
                      {.bytes = std::uint64_t{slots} * kSlotBytes, .registered = true},
                      {.bytes = std::uint64_t{lane.buffers} * lane.bytes, .registered = true}};
    }
    plan.sides[0].sends = 2 * lane.buffers;
    plan.sides[0].watches = true;
    plan.sides[1].sends = 2 * slots;
    plan.sides[1].receives = lane.buffers;
    return plan;
}

Counts counts_of(const FifoSettings& settings, std::span<const std::uint32_t> sizes, std::uint32_t pmtu) {
    Counts counts;
    if (sizes.empty()) return counts;
    EndCounts &sender = counts[0], &receiver = counts[1];
    sender.add(Count::stream_sends);
    sender.add(Count::stream_bytes, kHello);
    for (const std::uint32_t bytes : sizes) {
        sender.add(Count::writes);
        sender.add(Count::payload_packets, payload_packets_of(bytes, pmtu));
        if (settings.is_divided(bytes)) {
            sender.add(Count::writes);
            sender.add(Count::unsignaled);
        }
    }
    const std::uint64_t messages = sizes.size();
    receiver.add(Count::writes, messages);
    receiver.add(Count::unsignaled, messages - (messages + settings.slots - 1) / settings.slots);
    receiver.add(Count::payload_packets, messages);
    receiver.add(Count::receives, messages);
    return counts;
}

}  // namespace rnicsim::applications::fifo
