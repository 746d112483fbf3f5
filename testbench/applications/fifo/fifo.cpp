// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/fifo/fifo.h"

#include "testbench/applications/fifo/receiver.h"
#include "testbench/applications/fifo/sender.h"

#include <algorithm>
#include <string>

namespace rnicsim::applications {
namespace {

constexpr std::array<std::string_view, 2> kFifoParts{"slot", "write"};
/// Where the time of a message goes: until its slot is there, until it is complete.
enum class Part : std::uint8_t { slot, write };

fifo::Lane lane_of(const TrafficConfig& item) {
    return {.settings = &fifo_of(item), .bytes = item.size, .buffers = item.verbs.depth, .messages = item.transfers};
}

/// A message is an operation of its user's.
class MessageSender final : public fifo::Sender {
  public:
    using Sender::Sender;
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<MessageSender>(*this); }

  private:
    void asked(const Event& event, Actions& actions) override {
        if (is_broken()) return actions.ended(event.tag, Outcome::failed);
        actions.produce(next_place(), event.bytes, event.tag);
        put(event.bytes, actions);
    }
    void goes(std::uint64_t message, Actions& actions) override {
        actions.mark(static_cast<std::uint32_t>(message), static_cast<unsigned>(Part::slot));
    }
    void sent(std::uint64_t message, Outcome outcome, Actions& actions) override {
        actions.ended(static_cast<std::uint32_t>(message), outcome);
    }
};

class MessageReceiver final : public fifo::Receiver {
  public:
    using Receiver::Receiver;
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<MessageReceiver>(*this); }

  private:
    void got(std::uint64_t message, std::uint32_t bytes, Actions& actions) override {
        actions.check(lane().place_of(message), bytes, static_cast<std::uint32_t>(message));
    }
};

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
        const FifoSettings usual;
        const bool divides = name == "adaptive_routing" || name == "data_first";
        if (divides && of.adaptive_routing && !of.is_divided(item.size))
            return "no message is longer than fifo.threshold, expected a larger size, or a smaller threshold";
        const auto is_as_usual = [&](std::uint32_t bytes) {
            return (bytes > of.threshold) == (bytes > usual.threshold);
        };
        if (name == "threshold" && of.threshold != usual.threshold && std::ranges::all_of(sizes_of(item), is_as_usual))
            return "it divides the same messages as 8 KiB does, expected a size between the two";
        if (name == "slots" && of.slots != usual.slots && item.transfers <= std::min(of.slots, usual.slots))
            return "no slot is used twice, expected more transfers than slots";
        return nullptr;
    }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& /*config*/,
                                                 const TrafficConfig& item) const override {
        const FifoSettings &of = fifo_of(item), usual;
        const std::string unsafe = "; run.fifo.unsafe: true runs it, to see what it does";
        // Of more slots than messages none is used twice: those that a FIFO has by itself do then.
        constexpr std::uint32_t kMostSlots = 256;
        const std::uint32_t wanted = std::min(item.verbs.depth, item.transfers);
        if (wanted > of.slots)
            return Refusal{
                "run.depth",
                "at most fifo.slots, " + std::to_string(of.slots) +
                    (wanted > kMostSlots ? "" : ", or fifo.slots: " + std::to_string(std::max(wanted, usual.slots))) +
                    ": a slot would be written over one that is not used"};
        if (!of.wait && !of.unsafe)
            return Refusal{"run.fifo.wait", "true: messages go where nobody expects them" + unsafe};
        if (!of.data_first && !of.unsafe)
            return Refusal{"run.fifo.data_first", "true: who receives is told before its data are there" + unsafe};
        if (of.unsafe && of.wait && of.data_first) return Refusal{"run.fifo.unsafe", "false: nothing is unsafe"};
        return {};
    }
    [[nodiscard]] bool has_receives_ahead(const TrafficConfig& item) const override { return fifo_of(item).wait; }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override { return fifo::plan_of(lane_of(item)); }
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        if (seat.side == 0) return std::make_unique<MessageSender>(lane_of(item));
        return std::make_unique<MessageReceiver>(lane_of(item));
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override {
        Counts counts = fifo::counts_of(fifo_of(item), sizes, pmtu);
        for (const std::uint32_t bytes : sizes) counts[1].add(Count::checked_bytes, bytes);
        return counts;
    }
};

}  // namespace

const Application& nccl() {
    static const Fifo kFifo;
    return kFifo;
}

}  // namespace rnicsim::applications
