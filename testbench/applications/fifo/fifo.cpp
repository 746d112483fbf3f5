// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/fifo/fifo.h"

#include "testbench/applications/fifo/receiver.h"
#include "testbench/applications/fifo/sender.h"

#include <algorithm>
#include <string>

namespace rnicsim::applications {
namespace {

constexpr std::array<std::string_view, 2> kFifoParts{"slot", "write"};

class Fifo final : public Application {
  public:
    [[nodiscard]] std::string_view name() const override { return "fifo"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return kFifoParts; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, fifo_fields());
        return all;
    }
    void read(TrafficConfig& item, Values& in) const override { item.settings.set(fifo_fields().read(in)); }
    [[nodiscard]] const char* unread(const TrafficConfig& item, std::string_view key) const override {
        const FifoSettings& of = fifo_of(item);
        const std::string_view name = key.substr(key.rfind('.') + 1);
        if (!of.adaptive_routing && (name == "threshold" || name == "data_first"))
            return "each message is one WRITE_IMM, expected fifo.adaptive_routing: true";
        const bool divides = name == "adaptive_routing" || name == "data_first";
        if (divides && of.adaptive_routing && !of.is_divided(item.size))
            return "no message is longer than fifo.threshold, expected a larger size, or a smaller threshold";
        if (name == "slots" && item.transfers <= std::min(of.slots, FifoSettings{}.slots))
            return "no slot is used twice, expected more transfers than slots";
        return nullptr;
    }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& /*config*/,
                                                 const TrafficConfig& item) const override {
        const FifoSettings& of = fifo_of(item);
        const std::string unsafe = "; run.fifo.unsafe: true runs it, to see what it does";
        if (item.verbs.depth > of.slots)
            return Refusal{"run.depth", "at most fifo.slots, " + std::to_string(of.slots) +
                                            ": a slot would be written over one that is not used"};
        if (!of.wait && !of.unsafe)
            return Refusal{"run.fifo.wait", "true: messages go where nobody expects them" + unsafe};
        if (!of.data_first && !of.unsafe)
            return Refusal{"run.fifo.data_first", "true: who receives is told before its data are there" + unsafe};
        if (of.unsafe && of.wait && of.data_first) return Refusal{"run.fifo.unsafe", "false: nothing is unsafe"};
        return {};
    }
    [[nodiscard]] bool has_receives_ahead(const TrafficConfig& item) const override { return fifo_of(item).wait; }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override {
        const FifoSettings& of = fifo_of(item);
        Plan plan;
        plan.stream = true;
        const std::uint64_t buffers = std::uint64_t{item.verbs.depth} * item.size;
        for (Plan::Side& side : plan.sides)
            side.areas = {{fifo::kHello, false}, {std::uint64_t{of.slots} * fifo::kSlotBytes, true}, {buffers, true}};
        plan.sides[0].sends = 2 * item.verbs.depth;
        plan.sides[0].watches = true;
        plan.sides[1].sends = 2 * of.slots;
        plan.sides[1].receives = item.verbs.depth;
        return plan;
    }
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        if (seat.side == 0) return std::make_unique<fifo::Sender>(item);
        return std::make_unique<fifo::Receiver>(item);
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override {
        const FifoSettings& of = fifo_of(item);
        Counts counts;
        if (sizes.empty()) return counts;
        EndCounts &sender = counts[0], &receiver = counts[1];
        sender.add(Count::stream_sends);
        sender.add(Count::stream_bytes, fifo::kHello);
        for (const std::uint32_t bytes : sizes) {
            sender.add(Count::writes);
            sender.add(Count::payload_packets, payload_packets_of(bytes, pmtu));
            if (of.is_divided(bytes)) {
                sender.add(Count::writes);
                sender.add(Count::unsignaled);
            }
        }
        const std::uint64_t messages = sizes.size();
        receiver.add(Count::writes, messages);
        receiver.add(Count::unsignaled, messages - (messages + of.slots - 1) / of.slots);
        receiver.add(Count::payload_packets, messages);
        receiver.add(Count::receives, messages);
        return counts;
    }
};

}  // namespace

const Application& nccl() {
    static const Fifo kFifo;
    return kFifo;
}

}  // namespace rnicsim::applications
