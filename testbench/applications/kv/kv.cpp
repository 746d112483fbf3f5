// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/kv/kv.h"

#include "testbench/applications/kv/client.h"
#include "testbench/applications/kv/server.h"

#include <algorithm>
#include <string>

namespace rnicsim::applications {
namespace {

constexpr std::array<std::string_view, 3> kKvBounds{"run.kv.rx_size=256 B", "run.kv.receives=18",
                                                    "run.kv.signal_every=2"};
constexpr std::array<std::string_view, 4> kKvParts{"client", "request", "server", "answer"};

/// What one end sends the other by RDMA.
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
    const KvSettings& of = kv_of(item);
    return std::uint64_t{item.transfers} * std::max(kv::command_bytes(of, item.size), kv::answer_bytes(of, item.size));
}

class KeyValues final : public Application {
  public:
    [[nodiscard]] std::string_view name() const override { return "kv"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return kKvParts; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, kv_fields());
        return all;
    }
    void read(TrafficConfig& item, Values& in) const override { item.settings.set(kv_fields().read(in)); }
    [[nodiscard]] const char* unread(const TrafficConfig& item, std::string_view key) const override {
        const KvSettings& of = kv_of(item);
        const std::string_view name = key.substr(key.rfind('.') + 1);
        const bool of_rdma =
            name == "rx_size" || name == "receives" || name == "signal_every" || name == "room" || name == "unsafe";
        if (of_rdma && of.transport != KvTransport::rdma) return "commands go by TCP, expected kv.transport: rdma";
        const std::uint64_t bytes = most_written(item);
        if ((name == "room" || name == "unsafe") && bytes <= of.rx_size)
            return "nobody fills the other end's memory, expected more transfers, or a smaller kv.rx_size";
        return nullptr;
    }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& /*config*/,
                                                 const TrafficConfig& item) const override {
        const KvSettings& of = kv_of(item);
        if (of.transport != KvTransport::rdma) return {};
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
    [[nodiscard]] std::string_view with_verbs() const override { return "run.kv.transport: rdma"; }
    [[nodiscard]] std::span<const std::string_view> explored_with() const override { return kKvBounds; }
    [[nodiscard]] bool has_receives_ahead(const TrafficConfig& item) const override { return !kv_of(item).unsafe; }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override {
        const KvSettings& of = kv_of(item);
        Plan plan;
        plan.verbs = of.transport == KvTransport::rdma;
        plan.stream = !plan.verbs;
        const std::uint64_t out = std::uint64_t{item.verbs.depth} * kv::message_bytes(of, item.size);
        for (Plan::Side& side : plan.sides) {
            side.areas = {{out, false}, {kv::query_bytes(item), false}};
            if (!plan.verbs) continue;
            // WRITEs of which nobody has heard, those that are signaled, and messages about memory.
            side.sends = of.signal_every + 2 * item.verbs.depth + 64;
            side.receives = of.receives;
            side.copies = true;
            side.areas.push_back({std::uint64_t{of.receives} * kv::kTold, true});
            side.areas.push_back({of.rx_size, true});
            side.areas.push_back({of.rx_size, true});
            side.areas.push_back({kv::kTold, true});
        }
        return plan;
    }
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        if (seat.side == 0) return std::make_unique<kv::Client>(item);
        return std::make_unique<kv::Server>(item);
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override;
};

Counts KeyValues::expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes, std::uint32_t pmtu) const {
    const KvSettings& of = kv_of(item);
    Counts counts;
    std::array<Written, 2> written;
    for (const std::uint32_t value : sizes) {
        counts.at(of.operation == KvOperation::set ? 1 : 0).add(Count::checked_bytes, value);
        const std::array<std::uint32_t, 2> messages{kv::command_bytes(of, value), kv::answer_bytes(of, value)};
        for (unsigned side = 0; side < 2; ++side) {
            if (of.transport == KvTransport::tcp) {
                counts.at(side).add(Count::stream_sends);
                counts.at(side).add(Count::stream_bytes, messages.at(side));
                continue;
            }
            written.at(side).add(messages.at(side), of, pmtu);
            for (EndCounts& end : counts) end.add(Count::copied_bytes, messages.at(side));
        }
    }
    if (of.transport == KvTransport::tcp) return counts;
    for (unsigned side = 0; side < 2; ++side) {
        const Written &here = written.at(side), &there = written.at(1 - side);
        EndCounts& end = counts.at(side);
        end.add(Count::writes, here.writes);
        end.add(Count::unsignaled, here.writes - here.writes / of.signal_every);
        end.add(Count::sends, 1 + there.rounds);
        end.add(Count::receives, 1 + here.rounds + there.writes);
        end.add(Count::payload_packets, here.packets + (1 + there.rounds) * payload_packets_of(kv::kTold, pmtu));
    }
    return counts;
}

}  // namespace

const Application& key_values() {
    static const KeyValues kKeyValues;
    return kKeyValues;
}

}  // namespace rnicsim::applications
