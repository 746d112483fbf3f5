// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/allreduce/allreduce.h"

#include "model/rnic/rc/end/end_config.h"
#include "testbench/applications/allreduce/ends.h"

#include <algorithm>
#include <limits>
#include <string>

namespace rnicsim::applications {
namespace {

constexpr std::array<std::string_view, 2> kRingParts{"reduce", "gather"};
constexpr FifoSettings kOfRing;

std::uint64_t messages_of(const TrafficConfig& item) {
    return std::uint64_t{item.transfers} * 2 * (item.from.size() - 1);
}

fifo::Lane ring_lane(const TrafficConfig& item) {
    return {.settings = &kOfRing,
            .bytes = item.size / static_cast<std::uint32_t>(item.from.size()),
            .buffers = allreduce::kBuffers,
            .messages = messages_of(item)};
}

bool is_a_ring(const TrafficConfig& item) {
    for (std::size_t rank = 0; rank < item.from.size(); ++rank) {
        const unsigned next = item.from[(rank + 1) % item.from.size()];
        const auto asked = item.responders(item.from[rank]);
        if (asked.size() != 1 || asked.front() != next) return false;
    }
    return true;
}

class Allreduce final : public Application {
  public:
    [[nodiscard]] std::string_view name() const override { return "allreduce"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return kRingParts; }
    [[nodiscard]] bool one_at_a_time() const override { return true; }
    [[nodiscard]] bool is_among_its_hosts() const override { return true; }
    [[nodiscard]] bool has_one_thread() const override { return true; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, allreduce_fields());
        return all;
    }
    void read(TrafficConfig& item, Values& in) const override { item.settings.set(allreduce_fields().read(in)); }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& config, const TrafficConfig& item) const override {
        const AllreduceSettings& of = allreduce_of(item);
        if (item.from.size() < 2) return Refusal{"run.pairs", "at least two hosts in `from`, for a ring"};
        if (!is_a_ring(item))
            return Refusal{"run.pairs",
                           "ring, between at least two hosts: each sends to the next, and `to` are those of `from`"};
        const std::size_t hosts = item.from.size();
        if (!item.verbs.sizes.empty())
            return Refusal{"run.sizes", "none: the vectors of all hosts are as long, expected run.size"};
        if (item.size % (hosts * allreduce::kWord) != 0)
            return Refusal{"run.size", "a multiple of " + std::to_string(hosts * allreduce::kWord) +
                                           " B: an element of 4 B for each of " + std::to_string(hosts) + " hosts"};
        const std::uint64_t vectors = item.verbs.connections * (std::uint64_t{item.size} + allreduce::kHead);
        if (vectors > std::numeric_limits<std::uint32_t>::max())
            return Refusal{"run.connections", "vectors of less than 4 GiB in all: fewer, or a smaller run.size"};
        const auto is_another = [&](const TrafficConfig& other) {
            return &other != &item && other.application == name() &&
                   std::ranges::find_first_of(other.from, item.from) != other.from.end();
        };
        if (std::ranges::any_of(config.traffic, is_another))
            return Refusal{"run.application", "one item of allreduce at a host: run.connections has several rings"};
        const std::string unsafe = "; run.allreduce.unsafe: true runs it, to see what it does";
        if (!of.wait && !of.unsafe)
            return Refusal{"run.allreduce.wait", "true: what is sent lacks what has not come yet" + unsafe};
        if (of.unsafe && of.wait) return Refusal{"run.allreduce.unsafe", "false: nothing is unsafe"};
        return {};
    }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override {
        Plan plan = fifo::plan_of(ring_lane(item));
        const std::uint64_t vectors = item.verbs.connections * (std::uint64_t{item.size} + allreduce::kHead);
        for (Plan::Side& side : plan.sides) side.areas.push_back({.bytes = vectors, .shared = allreduce::kShared});
        return plan;
    }
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        const allreduce::Ring ring(item, seat);
        if (seat.side == 0) return std::make_unique<allreduce::RingSender>(ring_lane(item), ring);
        return std::make_unique<allreduce::RingReceiver>(ring_lane(item), ring);
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override {
        const auto hosts = static_cast<std::uint32_t>(item.from.size());
        std::vector<std::uint32_t> chunks;
        for (const std::uint32_t size : sizes) chunks.insert(chunks.end(), 2 * std::size_t{hosts - 1}, size / hosts);
        return fifo::counts_of(kOfRing, chunks, pmtu);
    }
};

}  // namespace

const Application& ring_allreduce() {
    static const Allreduce kAllreduce;
    return kAllreduce;
}

}  // namespace rnicsim::applications
