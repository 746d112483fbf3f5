// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/tensor/tensor.h"

#include "testbench/applications/tensor/ends.h"

#include <algorithm>
#include <vector>

namespace rnicsim::applications {
namespace {

/// Send WQEs on top of those that can be outstanding: of messages that the other end has, while the ACKs of their
/// packets were lost.
constexpr std::uint32_t kSparesOfTensors = 64;
constexpr std::array<std::string_view, 4> kTensorParts{"wait", "meta_data", "content", "finish"};

class Tensors final : public Application {
  public:
    [[nodiscard]] std::string_view name() const override { return "tensor"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return kTensorParts; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, tensor_fields());
        return all;
    }
    void read(TrafficConfig& item, Values& in) const override { item.settings.set(tensor_fields().read(in)); }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& /*config*/,
                                                 const TrafficConfig& item) const override {
        const TensorSettings& of = tensor_of(item);
        if (!of.ack && !of.unsafe)
            return Refusal{"run.tensor.ack",
                           "true: messages are written over; run.tensor.unsafe: true runs it, to see what it does"};
        if (of.unsafe && of.ack) return Refusal{"run.tensor.unsafe", "false: nothing is unsafe"};
        return {};
    }
    [[nodiscard]] const char* unread(const TrafficConfig& item, std::string_view key) const override {
        const TensorSettings& of = tensor_of(item);
        const std::string_view name = key.substr(key.rfind('.') + 1);
        if (name == "serialize" && of.path != TensorPath::proto)
            return "nothing is serialized, expected run.tensor.path: proto";
        if (name == "change_every" && of.change_every > (item.transfers - 1) / of.tensors)
            return "no tensor is asked for so often, expected more run.transfers, or fewer run.tensor.tensors";
        if ((name == "ack" || name == "unsafe") && std::min(of.under_way(item.verbs.depth), item.transfers) < 2)
            return "one message is under way at a time, expected run.depth, run.transfers and run.tensor.tensors of 2 "
                   "or more";
        const TensorSettings usual;
        if (name == "tensors" && of.tensors != usual.tensors && item.transfers <= std::min(of.tensors, usual.tensors))
            return "no tensor is asked for twice, expected more run.transfers";
        return nullptr;
    }
    /// The fault has messages come that nobody has room for.
    [[nodiscard]] bool has_receives_ahead(const TrafficConfig& item) const override { return tensor_of(item).ack; }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override;
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        if (seat.side == 0) return std::make_unique<tensor::Receiver>(item);
        return std::make_unique<tensor::Sender>(item);
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override;
};

Plan Tensors::plan(const TrafficConfig& item) const {
    const TensorSettings& of = tensor_of(item);
    const std::uint32_t depth = of.under_way(item.verbs.depth);
    const std::uint64_t slots = std::uint64_t{depth} * item.size;
    Plan plan;
    plan.stream = true;
    for (unsigned side = 0; side < 2; ++side) {
        Plan::Side& here = plan.sides.at(side);
        here.sends = depth + kSparesOfTensors;
        here.receives = tensor::Channel::receives(depth);
        here.areas = {{tensor::kAddress, false},
                      {tensor::kAddress, false},
                      {tensor::kMessage, true},
                      {tensor::kMessage, true},
                      {slots, true},
                      {slots, false}};
        here.copies = side == 1 || of.path != TensorPath::direct;  // who sends keeps a clone of what is new
    }
    return plan;
}

Counts Tensors::expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes, std::uint32_t pmtu) const {
    const TensorSettings& of = tensor_of(item);
    Counts counts;
    EndCounts &receiver = counts[0], &sender = counts[1];
    const auto write = [&](EndCounts& from, EndCounts& to, std::uint64_t bytes) {
        from.add(Count::writes);
        from.add(Count::payload_packets, payload_packets_of(bytes, pmtu));
        to.add(Count::receives);
    };
    const auto say = [&](EndCounts& from, EndCounts& to) {
        write(from, to, tensor::kMessage);
        write(to, from, 0);  // its ACK
    };
    for (EndCounts& end : counts) {
        end.add(Count::stream_sends);
        end.add(Count::stream_bytes, tensor::kAddress);
    }
    struct Known {
        std::uint32_t times = 0, version = 0, bytes = 0;
    };
    std::vector<Known> known(of.tensors);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        Known& tensor = known[i % of.tensors];
        const std::uint32_t version = of.version_of(tensor.times++);
        const bool changed = version != tensor.version || sizes[i] != tensor.bytes;
        tensor.version = version;
        tensor.bytes = sizes[i];
        say(receiver, sender);  // REQUEST
        if (changed) {
            say(sender, receiver);  // META_DATA
            say(receiver, sender);  // RE_REQUEST
            sender.add(Count::copied_bytes, sizes[i]);
        }
        write(sender, receiver, sizes[i]);
        receiver.add(Count::checked_bytes, sizes[i]);
        if (of.path == TensorPath::proto) sender.add(Count::copied_bytes, sizes[i]);
        if (of.path != TensorPath::direct) receiver.add(Count::copied_bytes, sizes[i]);
    }
    return counts;
}

}  // namespace

const Application& tensors() {
    static const Tensors kTensorFlow;
    return kTensorFlow;
}

}  // namespace rnicsim::applications
