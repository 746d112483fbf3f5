// SPDX-License-Identifier: Apache-2.0
// WRITE_IMMs into memory of the other end, which tells of it, and again when all has been read.
#include "testbench/applications/kv/transport.h"

#include <algorithm>
#include <string>

namespace rnicsim::applications::kv {
namespace {

/// What one end sends the other.
struct Written {
    std::uint64_t writes = 0, packets = 0, rounds = 0;  ///< `rounds`: times that the memory there has been filled
    std::uint32_t at = 0;
    void add(std::uint32_t bytes, const KvSettings& of, std::uint32_t pmtu) {
        while (bytes != 0) {
            const std::uint32_t part = std::min(bytes, of.rx_size - at);
            ++writes;
            packets += payload_packets_of(part, pmtu);
            bytes -= part;
            at += part;
            if (at != of.rx_size) continue;
            at = 0;
            ++rounds;
        }
    }
};

/// Bytes that an end writes in a run, at most.
std::uint64_t most_written(const TrafficConfig& item) {
    return std::uint64_t{item.transfers} * message_bytes(kv_of(item), item.size);
}

class ByWrites final : public Transport {
  public:
    [[nodiscard]] const char* unread(const TrafficConfig& item, std::string_view key) const override {
        if (is_of_rings(key)) return "commands go by RDMA, expected kv.transport: nts";
        if ((key == "run.kv.room" || key == "run.kv.unsafe") && most_written(item) <= kv_of(item).rx_size)
            return "nobody fills the other end's memory, expected more transfers, or a smaller kv.rx_size";
        return nullptr;
    }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& config, const TrafficConfig& item,
                                                 const Application& application) const override;
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override;
    void count(const TrafficConfig& item, const Messages& messages, std::uint32_t pmtu, Counts& counts) const override;
};

std::optional<Refusal> ByWrites::refused(const RunConfig& /*config*/, const TrafficConfig& item,
                                         const Application& /*application*/) const {
    const KvSettings& of = kv_of(item);
    // A round of the other end's memory may split a message, and end with a message about memory.
    const std::uint32_t most = item.verbs.depth + 2;
    constexpr std::uint32_t kMostReceives = 4096;
    if (most > kMostReceives) return Refusal{"run.depth", "at most 4094: 2 fewer than kv.receives can be"};
    if (of.receives < most)
        return Refusal{"run.kv.receives", "at least " + std::to_string(most) +
                                              ", 2 more than the depth: a message "
                                              "that finds none is sent again"};
    if (!of.waits_for_room && !of.unsafe)
        return Refusal{"run.kv.room",
                       "waited_for: what has not been read is written over; run.kv.unsafe: true "
                       "runs it, to see what it does"};
    if (of.unsafe && of.waits_for_room) return Refusal{"run.kv.unsafe", "false: nothing is unsafe"};
    return {};
}

Plan ByWrites::plan(const TrafficConfig& item) const {
    const KvSettings& of = kv_of(item);
    Plan plan;
    for (Plan::Side& side : plan.sides) {
        // WRITEs of which nobody has heard, those that are signaled, and messages about memory.
        side.sends = of.signal_every + 2 * item.verbs.depth + 64;
        side.receives = of.receives;
        side.copies = true;
        side.areas = areas_of_bytes(item);
        side.areas.push_back({std::uint64_t{of.receives} * kTold, true});
        side.areas.push_back({of.rx_size, true});
        side.areas.push_back({of.rx_size, true});
        side.areas.push_back({kTold, true});
    }
    return plan;
}

void ByWrites::count(const TrafficConfig& item, const Messages& messages, std::uint32_t pmtu, Counts& counts) const {
    const KvSettings& of = kv_of(item);
    std::array<Written, 2> written;
    for (unsigned side = 0; side < 2; ++side) {
        for (const std::uint32_t bytes : messages.at(side)) {
            written.at(side).add(bytes, of, pmtu);
            for (EndCounts& end : counts) end.add(Count::copied_bytes, bytes);
        }
    }
    for (unsigned side = 0; side < 2; ++side) {
        const Written &here = written.at(side), &there = written.at(1 - side);
        EndCounts& end = counts.at(side);
        end.add(Count::writes, here.writes);
        end.add(Count::unsignaled, here.writes - here.writes / of.signal_every);
        end.add(Count::sends, 1 + there.rounds);
        end.add(Count::receives, 1 + here.rounds + there.writes);
        end.add(Count::payload_packets, here.packets + (1 + there.rounds) * payload_packets_of(kTold, pmtu));
    }
}

}  // namespace

const Transport& by_writes() {
    static const ByWrites kByWrites;
    return kByWrites;
}

}  // namespace rnicsim::applications::kv
