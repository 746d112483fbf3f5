// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/blocks/blocks.h"

#include "testbench/applications/blocks/broadcast.h"
#include "testbench/applications/blocks/sync.h"

#include <string>

namespace rnicsim::applications {
namespace {

/// Send WQEs on top of those that can be outstanding: of messages that the other end has, while the ACKs of their
/// packets were lost.
constexpr std::uint32_t kSparesOfBlocks = 64;
constexpr std::array<std::string_view, 1> kBlockBounds{"run.depth=1"};
constexpr std::array<std::string_view, 3> kBlockParts{"set_up", "block", "verify"};

class BlockChain final : public Application {
  public:
    [[nodiscard]] std::string_view name() const override { return "blocks"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return kBlockParts; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, block_fields());
        return all;
    }
    void read(TrafficConfig& item, Values& in) const override { item.settings.set(block_fields().read(in)); }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& config, const TrafficConfig& item) const override;
    [[nodiscard]] const char* unread(const TrafficConfig& item, std::string_view key) const override;
    [[nodiscard]] std::span<const std::string_view> explored_with() const override { return kBlockBounds; }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override;
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        const bool is_sync = blocks_of(item).operation == BlockOperation::sync;
        if (seat.side == 0 && is_sync) return std::make_unique<blocks::Node>(item);
        if (seat.side == 0) return std::make_unique<blocks::Producer>(item);
        if (is_sync) return std::make_unique<blocks::Source>(item);
        return std::make_unique<blocks::Peer>(item);
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override;
};

std::optional<Refusal> BlockChain::refused(const RunConfig& /*config*/, const TrafficConfig& item) const {
    const BlockSettings& of = blocks_of(item);
    if (of.operation == BlockOperation::sync && !item.verbs.sizes.empty())
        return Refusal{"run.sizes", "none: who has the chain makes its blocks as long, expected run.size"};
    if (of.operation == BlockOperation::sync && of.interval != Time{} && of.irreversible > of.history)
        return Refusal{"run.blocks.irreversible",
                       "at most blocks.history, " + std::to_string(of.history) + ": only those are there"};
    return {};
}

const char* BlockChain::unread(const TrafficConfig& item, std::string_view key) const {
    const BlockSettings& of = blocks_of(item);
    const std::string_view name = key.substr(key.rfind('.') + 1);
    if (name == "heartbeat")
        return of.heartbeat > item.transfers ? "there are fewer blocks, expected more transfers" : nullptr;
    const bool of_sync = name == "irreversible" || name == "history" || name == "interval";
    if (of_sync && of.operation != BlockOperation::sync)
        return "a producer has no block before it sends it, expected blocks.operation: sync";
    if (name == "history" && of.interval == Time{})
        return "all blocks are there in the beginning, expected blocks.interval of more than 0";
    if (name == "irreversible" && of.irreversible >= item.transfers)
        return "all blocks are of one kind, and asked for at once, as with 0, expected a smaller one";
    if (name == "interval" && of.interval != Time{} && of.history >= item.transfers)
        return "no block is new, expected more transfers, or a smaller blocks.history";
    return nullptr;
}

Plan BlockChain::plan(const TrafficConfig& item) const {
    const BlockSettings& of = blocks_of(item);
    const std::uint64_t messages = std::uint64_t{blocks::kVerdicts + of.window} * BlockSettings::kMessage;
    Plan plan;
    plan.stream = true;
    for (Plan::Side& here : plan.sides) {
        here.areas = {{BlockSettings::kMessage, false},
                      {BlockSettings::kMessage, false},
                      {BlockSettings::kRegions, true},
                      {BlockSettings::kRegions, true},
                      {messages, true},
                      {messages, true},
                      {std::uint64_t{of.window} * item.size, true}};
        here.sends = 3 * of.window + kSparesOfBlocks;
        here.receives = blocks::Session::receives(of.window);
    }
    return plan;
}

Counts BlockChain::expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes, std::uint32_t pmtu) const {
    const BlockSettings& of = blocks_of(item);
    Counts counts;
    const auto carry = [&](unsigned from, Count verb, std::uint32_t bytes, std::uint64_t times = 1) {
        counts.at(from).add(verb, times);
        counts.at(from).add(Count::payload_packets, times * payload_packets_of(bytes, pmtu));
        counts.at(1 - from).add(Count::receives, times);
    };
    const auto say = [&](unsigned from, std::uint64_t times = 1) {
        carry(from, Count::writes, BlockSettings::kMessage, times);
    };
    for (const unsigned side : {0U, 1U}) {
        carry(side, Count::sends, BlockSettings::kRegions);
        say(side);  // HANDSHAKE, NOTICE
    }
    counts[0].add(Count::stream_sends);
    counts[0].add(Count::stream_bytes, BlockSettings::kMessage);
    const std::uint64_t all = sizes.size();
    if (of.heartbeat != 0) say(0, all / of.heartbeat);
    const bool is_sync = of.operation == BlockOperation::sync;
    const unsigned has = is_sync ? 1 : 0;
    for (const std::uint32_t bytes : sizes) {
        const std::uint32_t block = is_sync ? item.size : bytes;
        carry(has, Count::writes, block);
        counts.at(1 - has).add(Count::checked_bytes, block);
    }
    if (!is_sync) {
        say(1, all);  // verdicts
        return counts;
    }
    carry(0, Count::writes, 0, all);  // ACKs
    const ChainParts chain = chain_of(item);
    say(0, (chain.asks_for_irreversible() ? 1 : 0) + (chain.asks_for_reversible() ? 1 : 0));
    return counts;
}

}  // namespace

const Application& block_chain() {
    static const BlockChain kBlockChain;
    return kBlockChain;
}

}  // namespace rnicsim::applications
