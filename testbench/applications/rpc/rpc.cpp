// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/rpc/rpc.h"

#include "model/rnic/rc/end/end_config.h"
#include "testbench/applications/rpc/rpc_end.h"

#include <algorithm>
#include <string>

namespace rnicsim::applications {
namespace rpc {
namespace {

/// Who asks opens the connection with its first request.
class Client final : public RpcEnd {
  public:
    using RpcEnd::RpcEnd;
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Client>(*this); }
    void state(std::vector<std::uint64_t>& words) const override {
        RpcEnd::state(words);
        words.push_back(opens_ ? 1U : 0U);
        words.insert(words.end(), open_.begin(), open_.end());
    }

  private:
    void asked(std::uint32_t operation, std::uint32_t bytes, Actions& actions) override {
        if (is_broken()) return actions.ended(operation, Outcome::failed);
        open_.push_back(operation);
        send(operation, bytes, actions);
        if (opens_) return;
        opens_ = true;
        say(RpcSettings::kHello, actions);
        listen(RpcSettings::kHello);
    }
    void heard(Actions& actions) override {
        say(RpcSettings::kReady, actions);
        begin(actions);
    }
    void came(std::uint32_t operation, std::uint32_t bytes, Place at, Actions& actions) override {
        std::erase(open_, operation);
        actions.check(at, bytes, operation);
        actions.ended(operation, Outcome::complete);
    }
    void fails(Actions& actions) override {
        for (const std::uint32_t operation : open_) actions.ended(operation, Outcome::failed);
        open_.clear();
    }

    bool opens_ = false;
    std::vector<std::uint32_t> open_;  // operations
};

/// A request may come before the last word of the stream: its answer waits for that.
class Server final : public RpcEnd {
  public:
    explicit Server(const TrafficConfig& item) : RpcEnd(item) { listen(RpcSettings::kHello); }
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Server>(*this); }
    void state(std::vector<std::uint64_t>& words) const override {
        RpcEnd::state(words);
        words.push_back(greeted_ ? 1U : 0U);
    }

  private:
    void heard(Actions& actions) override {
        if (greeted_) return begin(actions);
        greeted_ = true;
        say(RpcSettings::kHello, actions);
        listen(RpcSettings::kReady);
    }
    void came(std::uint32_t operation, std::uint32_t bytes, Place at, Actions& actions) override {
        actions.check(at, bytes, operation);
        send(operation, settings().answer, actions);
    }

    bool greeted_ = false;
};

}  // namespace
}  // namespace rpc

namespace {

constexpr std::array<std::string_view, 1> kRpcBounds{"run.rpc.queue=8"};
constexpr std::array<std::string_view, 3> kRpcParts{"hello", "send", "answer"};

/// Of `messages` that are sent in one go from a full window's beginning: how many wake the other end, the last one
/// included. The first gives `credits` back.
std::uint32_t wakes_in_one_go(const RpcSettings& of, std::uint32_t messages, std::uint64_t credits) {
    if (messages == 0) return 0;
    if (messages == 1) return 1;
    // Of credits that are worth a quarter the other end hears with the next message.
    if (credits > of.quarter()) return 1 + wakes_in_one_go(of, messages - 2, 0);
    const std::uint32_t quiet = std::min(of.quarter() + 1, RpcSettings::kUnheard / of.payload() + 1);
    return (messages - 1) / (quiet + 1) + 1;
}

/// ... of a request or an answer: a window, then what each ACK lets go.
std::uint32_t wakes_of(const RpcSettings& of, std::uint32_t messages, std::uint64_t credits) {
    if (of.solicit == Solicit::none) return 0;
    if (of.solicit == Solicit::all) return messages;
    if (!of.window || messages <= of.most()) return wakes_in_one_go(of, messages, credits);
    const std::uint32_t behind = messages - of.most();
    return wakes_in_one_go(of, of.most(), credits) + behind / of.ack_at() * wakes_in_one_go(of, of.ack_at(), 0) +
           wakes_in_one_go(of, behind % of.ack_at(), 0);
}

/// `owed`: what `side` has got, and not said that it has the receive WQEs again; what is left of it.
void add_acks(const RpcSettings& of, std::uint64_t& owed, Counts& counts, unsigned side) {
    const std::uint64_t acks = owed / of.ack_at();
    owed %= of.ack_at();
    counts.at(side).add(Count::sends, acks);
    counts.at(side).add(Count::solicited, acks);
    counts.at(1 - side).add(Count::receives, acks);
}

bool copies_requests(const TrafficConfig& item) {
    const auto copied = [&](std::uint32_t bytes) { return rpc_of(item).copied_of(bytes) != 0; };
    return item.verbs.sizes.empty() ? copied(item.size) : std::ranges::any_of(item.verbs.sizes, copied);
}

class Rpc final : public Application {
  public:
    [[nodiscard]] std::string_view name() const override { return "rpc"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return kRpcParts; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, rpc_fields());
        return all;
    }
    void read(TrafficConfig& item, Values& in) const override { item.settings.set(rpc_fields().read(in)); }
    [[nodiscard]] const char* unread(const TrafficConfig& item, std::string_view key) const override {
        const RpcSettings& of = rpc_of(item);
        const std::string_view name = key.substr(key.rfind('.') + 1);
        const std::uint32_t longest = std::max(item.size, of.answer);
        if (name == "block") {
            RpcSettings least = of;
            least.block = std::min(of.block, RpcSettings{}.block);
            if (least.messages_of(longest) == 1)
                return "a request and an answer are one message each, expected larger ones";
        }
        if (name == "window" && std::uint64_t{item.verbs.depth} * of.messages_of(longest) < of.most())
            return "the window is never full, expected more requests at once, longer ones, or a smaller rpc.queue";
        if (name == "solicit" && of.solicit != Solicit::none && of.messages_of(longest) == 1 &&
            item.verbs.depth <= of.most())
            return "each message is the last for now, expected requests or answers of several messages";
        return nullptr;
    }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& config, const TrafficConfig& item) const override;
    [[nodiscard]] std::span<const std::string_view> explored_with() const override { return kRpcBounds; }
    [[nodiscard]] bool has_receives_ahead(const TrafficConfig& item) const override { return rpc_of(item).window; }
    [[nodiscard]] bool is_bound(const TrafficConfig& item, Count what) const override {
        // Whether a message is there to carry credits, and how far the window is open, is a matter of time.
        const bool depends = what == Count::sends || what == Count::receives || what == Count::solicited;
        return depends && item.verbs.depth > 1;
    }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override;
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        if (seat.side == 0) return std::make_unique<rpc::Client>(item);
        return std::make_unique<rpc::Server>(item);
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override;
};

std::optional<Refusal> Rpc::refused(const RunConfig& config, const TrafficConfig& item) const {
    const RpcSettings& of = rpc_of(item);
    const std::string unsafe = "; run.rpc.unsafe: true runs it, to see what it does";
    if (!of.window && !of.unsafe) return Refusal{"run.rpc.window", "true: messages may find no receive WQE" + unsafe};
    if (of.solicit == Solicit::none && !of.unsafe)
        return Refusal{"run.rpc.solicit", "some or all: nobody is woken" + unsafe};
    if (of.unsafe && of.window && of.solicit != Solicit::none)
        return Refusal{"run.rpc.unsafe", "false: nothing is unsafe"};
    const auto sleeps = [&](unsigned host) { return verbs_of(config, host).host.events; };
    const bool somebody = std::ranges::any_of(
        item.from, [&](unsigned from) { return sleeps(from) || std::ranges::any_of(item.responders(from), sleeps); });
    if (of.solicit != Solicit::some && !somebody)
        return Refusal{"run.rpc.solicit", "some: completions are polled (system.host.verbs.notify: events)"};
    return {};
}

Plan Rpc::plan(const TrafficConfig& item) const {
    const RpcSettings& of = rpc_of(item);
    Plan plan;
    plan.stream = true;
    const std::uint64_t wholes = std::uint64_t{item.verbs.depth} * rpc::slot_bytes(item);
    for (unsigned side = 0; side < 2; ++side) {
        Plan::Side& here = plan.sides.at(side);
        // A window, and as much again of which the other end has given credits back, while the card has not said that
        // it is complete.
        here.sends = 2 * of.queue;
        if (!of.window) here.sends += item.verbs.depth * of.messages_of(side == 0 ? item.size : of.answer);
        here.receives = of.queue;
        here.areas = {{RpcSettings::kHello, false},
                      {RpcSettings::kHello, false},
                      {wholes, true},
                      {std::uint64_t{of.queue} * of.block, true},
                      {wholes, false}};
        here.waits_for_solicited = true;
        here.copies = side == 0 ? of.copied_of(of.answer) != 0 : copies_requests(item);
    }
    return plan;
}

/// With several requests at once a message of one gives back what has come of another: there may be fewer ACKs, and
/// wakes, than this.
Counts Rpc::expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes, std::uint32_t pmtu) const {
    const RpcSettings& of = rpc_of(item);
    Counts counts;
    if (sizes.empty()) return counts;
    counts[0].add(Count::stream_sends, 2);
    counts[0].add(Count::stream_bytes, RpcSettings::kHello + RpcSettings::kReady);
    counts[1].add(Count::stream_sends);
    counts[1].add(Count::stream_bytes, RpcSettings::kHello);
    const bool one = item.verbs.depth == 1;
    std::array<std::uint64_t, 2> messages{};
    std::array<std::uint64_t, 2> owed{};  // receive WQEs, by who has them
    const auto send = [&](unsigned side, std::uint32_t bytes) {
        EndCounts &from = counts.at(side), &to = counts.at(1 - side);
        const std::uint32_t count = of.messages_of(bytes),
                            last = RpcSettings::kHeader + bytes - (count - 1) * of.payload();
        messages.at(side) += count;
        from.add(Count::sends, count);
        to.add(Count::receives, count);
        to.add(Count::copied_bytes, of.copied_of(bytes));
        to.add(Count::checked_bytes, bytes);
        from.add(Count::payload_packets,
                 (count - 1) * payload_packets_of(of.payload(), pmtu) + payload_packets_of(last, pmtu));
        from.add(Count::solicited, one ? wakes_of(of, count, owed.at(side)) : count);
        owed.at(side) = 0;
        owed.at(1 - side) += count;
        if (one) add_acks(of, owed.at(1 - side), counts, 1 - side);
    };
    for (const std::uint32_t bytes : sizes) {
        send(0, bytes);
        send(1, of.answer);
    }
    for (unsigned side = 0; side < 2; ++side) {
        std::uint64_t all = messages.at(side);
        counts.at(side).add(Count::unsignaled, all - all / std::max(1U, of.quarter()));
        if (!one) add_acks(of, all, counts, 1 - side);
    }
    return counts;
}

}  // namespace

const Application& brpc() {
    static const Rpc kRpc;
    return kRpc;
}

}  // namespace rnicsim::applications
