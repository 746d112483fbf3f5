// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/smc/smc.h"

#include "testbench/applications/smc/cost.h"
#include "testbench/applications/smc/ends.h"

#include <algorithm>
#include <bit>
#include <string>

namespace rnicsim::applications {
namespace {

using smc::Clc;

constexpr std::array<std::string_view, 1> kSmcBounds{"run.smc.rmb=16 KiB"};
constexpr std::array<std::string_view, 3> kSmcParts{"set_up", "request", "answer"};

class Smc final : public Application {
  public:
    [[nodiscard]] std::string_view name() const override { return "smc"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return kSmcParts; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, smc_fields());
        return all;
    }
    [[nodiscard]] bool one_at_a_time() const override { return true; }
    void read(TrafficConfig& item, Values& in) const override { item.settings.set(smc_fields().read(in)); }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& /*config*/,
                                                 const TrafficConfig& item) const override {
        const SmcSettings& of = smc_of(item);
        const std::string unsafe = "; run.smc.unsafe: true runs it, to see what it does";
        if (!std::has_single_bit(of.rmb)) return Refusal{"run.smc.rmb", "16, 32, 64, 128, 256 or 512 KiB"};
        if (!of.wait && !of.unsafe) return Refusal{"run.smc.wait", "true: what is not read is written over" + unsafe};
        if (!of.update && !of.unsafe)
            return Refusal{"run.smc.update", "true: who waits for room may never go on" + unsafe};
        if (of.unsafe && of.wait && of.update) return Refusal{"run.smc.unsafe", "false: nothing is unsafe"};
        return {};
    }
    [[nodiscard]] const char* unread(const TrafficConfig& item, std::string_view key) const override {
        const SmcSettings& of = smc_of(item);
        const std::string_view name = key.substr(key.rfind('.') + 1);
        if (of.refused && name != "refused" && name != "read")
            return "the other end declines and all goes by TCP, expected run.smc.refused: false";
        const std::uint64_t most = smc::kHeader + std::uint64_t{item.size};
        const SmcSettings usual;
        const std::uint64_t there =
            of.refused ? most : std::min<std::uint64_t>(most, of.rmb);  // a recv() finds no more
        if (name == "read" && of.read != usual.read && there <= std::min(of.read, usual.read))
            return "no recv() finds so many bytes, expected larger messages and rings, or a smaller run.smc.read";
        if (name == "wait" && most <= of.rmb) return "each message has room, expected a larger one than run.smc.rmb";
        if (name == "update" && most <= of.rmb / 2)
            return "nobody has so much to tell of, expected a message of more than half of run.smc.rmb";
        return nullptr;
    }
    [[nodiscard]] std::string_view with_verbs() const override { return "run.smc.refused: false"; }
    [[nodiscard]] std::span<const std::string_view> explored_with() const override { return kSmcBounds; }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override;
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        if (seat.side == 0) return std::make_unique<smc::Client>(item);
        return std::make_unique<smc::Server>(item);
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override;
};

Plan Smc::plan(const TrafficConfig& item) const {
    const SmcSettings& of = smc_of(item);
    Plan plan;
    plan.stream = true;
    plan.verbs = !of.refused;
    for (Plan::Side& side : plan.sides) {
        // Two WRITEs, if they wrap, ahead of each message.
        side.sends = 3 * smc::kSlots;
        side.receives = smc::kSlots;
        constexpr std::uint64_t kMessages = std::uint64_t{smc::kSlots} * smc::kMessage;
        const std::uint64_t user = smc::kHeader + std::uint64_t{item.size};
        side.areas = {{smc::kClcMost, false}, {smc::kClcMost, false}, {kMessages, true}, {kMessages, true},
                      {of.rmb, true},         {of.rmb, true},         {user, false},     {user, false}};
        side.copies = side.system_calls = plan.verbs;
    }
    return plan;
}

Counts Smc::expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes, std::uint32_t pmtu) const {
    const SmcSettings& of = smc_of(item);
    Counts counts;
    const auto by_tcp = [](EndCounts& from, std::uint64_t bytes) {
        from.add(Count::stream_sends);
        from.add(Count::stream_bytes, bytes);
    };
    const auto say = [&](EndCounts& from, EndCounts& to, std::uint64_t messages) {
        from.add(Count::sends, messages);
        from.add(Count::solicited, messages);
        from.add(Count::payload_packets, messages * payload_packets_of(smc::kMessage, pmtu));
        to.add(Count::receives, messages);
    };
    by_tcp(counts[0], bytes_of(Clc::proposal));
    by_tcp(counts[1], bytes_of(of.refused ? Clc::decline : Clc::accept));
    if (!of.refused) {
        by_tcp(counts[0], bytes_of(Clc::confirm));
        say(counts[1], counts[0], 1);  // CONFIRM LINK
        say(counts[0], counts[1], 1);
    }
    std::uint64_t from = 0;  // both directions have as many bytes
    for (const std::uint32_t size : sizes) {
        const std::uint64_t bytes = smc::kHeader + std::uint64_t{size};
        const smc::Cost cost = smc::cost_of(of, from, bytes, pmtu);
        from += bytes;
        for (unsigned side = 0; side < 2; ++side) {
            EndCounts &sender = counts.at(side), &reader = counts.at(1 - side);
            reader.add(Count::checked_bytes, size);
            if (of.refused) {
                by_tcp(sender, bytes);
                continue;
            }
            sender.add(Count::system_calls);
            sender.add(Count::writes, cost.writes);
            sender.add(Count::unsignaled, cost.writes);
            sender.add(Count::payload_packets, cost.packets);
            sender.add(Count::copied_bytes, bytes);
            say(sender, reader, cost.pieces);
            reader.add(Count::system_calls, cost.reads);
            reader.add(Count::copied_bytes, bytes);
            say(reader, sender, cost.updates);
        }
    }
    return counts;
}

}  // namespace

const Application& smc_sockets() {
    static const Smc kSmc;
    return kSmc;
}

}  // namespace rnicsim::applications
