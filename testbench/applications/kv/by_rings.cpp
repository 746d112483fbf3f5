// SPDX-License-Identifier: Apache-2.0
// A ring each way, behind a bridge: as a socket of the user's own (NTSocks). A connection has its own rings.
#include "testbench/applications/kv/transport.h"
#include "testbench/applications/nts/rings.h"

#include <algorithm>

namespace rnicsim::applications::kv {
namespace {

class ByRings final : public Transport {
  public:
    [[nodiscard]] const char* unread(const TrafficConfig& item, std::string_view key) const override;
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& config, const TrafficConfig& item,
                                                 const Application& application) const override {
        const NtsSettings& of = kv_of(item).ring;
        if (auto no = nts::refused_shape(of)) return no;
        if (auto no = nts::refused_mode(config, item, of)) return no;
        return nts::refused_bridges(config, item, application, "run.kv.transport");
    }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override {
        const KvSettings& of = kv_of(item);
        nts::RingUse use{std::uint64_t{2} * item.verbs.depth * message_bytes(of, item.size), true, {}};
        for (const std::uint32_t value : sizes_of(item)) {
            use.messages.push_back(command_bytes(of, value));
            use.messages.push_back(answer_bytes(of, value));
        }
        return nts::plan_of_rings(of.ring, use);
    }
    void count(const TrafficConfig& item, const Messages& messages, std::uint32_t /*pmtu*/,
               Counts& counts) const override {
        for (unsigned side = 0; side < 2; ++side)
            nts::count_messages(kv_of(item).ring, messages.at(side), counts.at(side), counts.at(1 - side));
    }
    [[nodiscard]] bool is_bound(Count what) const override { return nts::is_bound(what); }
    [[nodiscard]] Holds when_down(const TrafficConfig& item, Count what) const override {
        return nts::when_down(kv_of(item).ring, what);
    }
};

const char* ByRings::unread(const TrafficConfig& item, std::string_view key) const {
    if (is_of_writes(key)) return "commands go through rings, expected kv.transport: rdma";
    if (!is_of_rings(key)) return nullptr;
    const std::string_view name = key.substr(key.rfind('.') + 1);
    constexpr std::array<std::string_view, 8> kPartitions{"partitions", "batch", "slicing",      "priority",
                                                          "max_rounds", "queue", "flow_control", "hand_over"};
    constexpr std::array<std::string_view, 4> kFaults{"fence", "zero", "push", "unsafe"};
    if (std::ranges::find(kPartitions, name) != kPartitions.end())
        return "each connection of kv has rings of its own, expected run.application: nts";
    if (std::ranges::find(kFaults, name) != kFaults.end())
        return "rings of kv keep their rules, expected run.application: nts";
    if (name == "answer") return "a server answers each command, expected run.application: nts";
    if (name == "serve") return "programs work on commands, expected kv.server_work and kv.client_work";
    const KvSettings& of = kv_of(item);
    const std::uint64_t slots =  // of the direction with more of them
        std::uint64_t{item.transfers} * of.ring.slots_of(message_bytes(of, item.size));
    return nts::unread_of_ring(of.ring, name, slots);
}

}  // namespace

const Transport& by_rings() {
    static const ByRings kByRings;
    return kByRings;
}

}  // namespace rnicsim::applications::kv
