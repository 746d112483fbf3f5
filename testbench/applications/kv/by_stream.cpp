// SPDX-License-Identifier: Apache-2.0
// A call of send() for a message.
#include "testbench/applications/kv/kv_end.h"
#include "testbench/applications/kv/transport.h"

namespace rnicsim::applications::kv {
namespace {

class ByStream final : public Transport {
  public:
    [[nodiscard]] const char* unread(const TrafficConfig& /*item*/, std::string_view key) const override {
        if (is_of_writes(key)) return "commands go by TCP, expected kv.transport: rdma";
        if (is_of_rings(key)) return "commands go by TCP, expected kv.transport: nts";
        return nullptr;
    }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& /*config*/, const TrafficConfig& /*item*/,
                                                 const Application& /*application*/) const override {
        return {};
    }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override {
        Plan plan;
        plan.verbs = false;
        plan.stream = true;
        for (Plan::Side& side : plan.sides) side.areas = areas_of_bytes(item);
        return plan;
    }
    void count(const TrafficConfig& /*item*/, const Messages& messages, std::uint32_t /*pmtu*/,
               Counts& counts) const override {
        for (unsigned side = 0; side < 2; ++side) {
            for (const std::uint32_t bytes : messages.at(side)) {
                counts.at(side).add(Count::stream_sends);
                counts.at(side).add(Count::stream_bytes, bytes);
            }
        }
    }
};

}  // namespace

std::vector<Plan::Area> areas_of_bytes(const TrafficConfig& item) {
    const std::uint64_t out = std::uint64_t{item.verbs.depth} * message_bytes(kv_of(item), item.size);
    return {{out, false}, {query_bytes(item), false}};
}

const Transport& by_stream() {
    static const ByStream kByStream;
    return kByStream;
}

}  // namespace rnicsim::applications::kv
