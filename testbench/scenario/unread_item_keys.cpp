// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/unread_keys.h"

#include "testbench/scenario/applications.h"

#include <algorithm>
#include <array>

namespace rnicsim {
namespace {

bool of_verbs(const Part& part) { return part.item().workload == Workload::verbs; }

bool has_one_initiator(const Part& part) { return part.item().from.size() == 1; }
/// Each initiator asks the same with `all`.
bool pairs_are_those_of_all(const Part& part) {
    const TrafficConfig& item = part.item();
    if (item.pairs == Pairs::permutation && item.to.size() > 1) return false;
    if (item.pairs == Pairs::all) return item.to.size() == 1 && item.from.size() == 1;
    TrafficConfig all = item;
    all.pairs = Pairs::all;
    return std::ranges::all_of(item.from, [&](unsigned from) { return item.responders(from) == all.responders(from); });
}
bool goes_in_turn(const Part& part) { return of_verbs(part) && part.item().verbs.pattern == VerbsPattern::ping_pong; }
bool has_one_qp_a_host(const Part& part) {
    const TrafficConfig& item = part.item();
    if (!of_verbs(part)) return false;
    return std::ranges::all_of(item.from, [&](unsigned from) {
        const std::vector<unsigned> to = item.responders(from);
        return part.use.host(from).qps <= 1 &&
               std::ranges::all_of(to, [&](unsigned host) { return part.use.host(host).qps <= 1; });
    });
}
bool has_sizes(const Part& part) { return of_verbs(part) && !part.item().verbs.sizes.empty(); }
bool has_mix(const Part& part) { return of_verbs(part) && !part.item().verbs.mix.empty(); }
bool has_scheme(const Part& part) { return of_verbs(part) && part.item().verbs.scheme != PersistScheme::none; }
bool has_no_scheme(const Part& part) { return of_verbs(part) && !has_scheme(part); }
bool has_no_write_persist(const Part& part) { return !has_write_persist(part.item().verbs.scheme); }
bool is_not_fig10(const Part& part) { return part.item().verbs.scheme != PersistScheme::fig10; }
bool is_not_by_processor(const Part& part) { return !is_by_processor(part.item().verbs.scheme); }
bool has_no_read_back(const Part& part) { return !has_read_back(part.item().verbs.scheme); }
bool nobody_marks(const Part& part) {
    return std::ranges::none_of(part.item().from, [&](unsigned from) { return part.use.passes_marks(from); });
}

/// All operations have their time from the beginning on.
bool follows_no_other(const Part& part) {
    const TrafficConfig& item = part.item();
    const applications::Application* const protocol = protocol_of(item);
    if (protocol == nullptr) return item.workload == Workload::transfers && item.transfers == 1;
    const bool one_by_one = protocol->order(item) != applications::Order::each;
    return !one_by_one && item.transfers <= (protocol->one_at_a_time() ? 1 : item.verbs.depth);
}

/// Nothing of it is on a wire.
bool leaves_cards_alone(const Part& part) {
    const applications::Application* const protocol = protocol_of(part.item());
    return protocol != nullptr && !protocol->plan(part.item()).has_card();
}

constexpr std::string_view kScheme = "run.scheme", kPattern = "run.pattern", kOneQp = "its hosts have one QP";

bool no_bridge_is_down(const Part& part) {
    return std::ranges::none_of(part.config.bridges,
                                [](const ntb::Config& bridge) { return bridge.down.probability > 0; });
}

constexpr std::array kItemRules = std::to_array<UnreadRule>({
    {"run.nts.failover", no_bridge_is_down, "no bridge's link is ever down", "system.bridge.down.probability",
     " of more than 0 %", But::tape},
    {"run.dscp", leaves_cards_alone, "its messages go through a bridge alone", "run.nts.failover",
     ": true, or packets of a card"},
    {"run.pairs", pairs_are_those_of_all, "each initiator asks the same hosts with `all`", "run.traffic",
     " with more hosts in from or to"},
    {"run.stagger", has_one_initiator, "the item has one initiator, which starts at `start`", "run.start",
     " in its place"},
    {"run.think", follows_no_other, "nothing is asked for when another one is over", "run.transfers", " of more"},
    {"run.depth", goes_in_turn, "one message is under way with ping_pong", kPattern, ": stream"},
    {"run.regions", has_one_qp_a_host, kOneQp, "run.connections", " of 2 or more"},
    {"run.size", has_sizes, "run.sizes has the bytes of messages", "run.sizes", ": []"},
    {"run.operation", has_mix, "run.mix has the verbs of messages", "run.mix", " with shares of 0 %"},
    {"run.operation", has_scheme, "the scheme says what is posted", kScheme, ": none"},
    {"run.mark", has_no_write_persist, "the scheme has no WRITE_PERSISTs", kScheme, ": fig10 or fig11"},
    {"run.pack", has_no_write_persist, "the scheme has no WRITE_PERSISTs", kScheme, ": fig10 or fig11"},
    {"run.acks", is_not_fig10, "the scheme has no choice of ACKs", kScheme, ": fig10"},
    {"run.region_table", has_no_scheme, "the item has no scheme", kScheme, ": fig2, or another one"},
    {"run.read_back", has_no_read_back, "the scheme has no READs", kScheme, ": fig2 or apm"},
    {"run.behind", is_not_fig10, "nothing is posted behind its items", kScheme, ": fig10"},
    {"run.receives_ahead", is_not_by_processor, "the scheme has no receive WQEs", kScheme, ": fig3, fig11 or gpspm"},
    {"run.ecn", nobody_marks, "nobody on its ways marks frames", "system.switch.ecn.at",
     ": enqueue or dequeue, or system.link.ecn_marking of more than 0 %"},
    {"run.unsafe", has_no_scheme, "the item has no scheme", kScheme, " that is not safe here"},
});

}  // namespace

std::span<const UnreadRule> unread_of_items() { return kItemRules; }

}  // namespace rnicsim
