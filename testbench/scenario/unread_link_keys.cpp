// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/unread_keys.h"

#include <array>

namespace rnicsim {
namespace {

bool has_bursts(const LinkConfig& link) { return link.loss_process == "gilbert_elliott"; }

bool no_bursts(const Part& part) { return !has_bursts(part.link()); }
bool no_burst_begins(const Part& part) { return part.link().burst.begin <= 0; }
bool bursts_are_as_all(const Part& part) { return part.link().burst.loss == part.link().loss; }
bool always_in_burst(const Part& part) {
    return has_bursts(part.link()) && part.link().burst.begin >= 1 && part.link().burst.end <= 0;
}
bool none_is_late(const Part& part) { return part.link().duplication <= 0 && part.link().reordering <= 0; }
bool all_are_overtaken(const Part& part) { return part.link().reordering >= 1; }
bool delay_does_not_vary(const Part& part) { return part.link().delay_variation <= 0; }
bool is_never_down(const Part& part) { return part.link().down.probability <= 0; }
bool none_is_markable(const Part& part) { return !part.use.link(part.number).markable; }

/// Nor does anybody pause over it: how long it is counts for the headroom of switches.
bool is_not_on_a_way(const Part& part) {
    if (part.use.link(part.number).any) return false;
    for (const Node& node : part.link().between) {
        if (node.kind == Node::Kind::network_switch && part.config.switches[node.index].pfc.classes != 0) return false;
    }
    return true;
}

constexpr std::string_view kBursts = "system.link.loss_process";
constexpr std::string_view kBegin = "system.link.burst.begin";
constexpr std::string_view kSome = " of more than 0 %";

constexpr std::array kLinkRules = std::to_array<UnreadRule>({
    {kBegin, no_bursts, "there are no bursts", kBursts, ": gilbert_elliott", But::tape},
    {"system.link.burst.end", no_bursts, "there are no bursts", kBursts, ": gilbert_elliott", But::tape},
    {"system.link.burst.loss", no_bursts, "there are no bursts", kBursts, ": gilbert_elliott", But::tape},
    {"system.link.burst.end", no_burst_begins, "no burst begins", kBegin, kSome, But::tape},
    {"system.link.burst.loss", no_burst_begins, "no burst begins", kBegin, kSome, But::tape},
    {kBegin, bursts_are_as_all, "a burst loses as many frames as the link does without", "system.link.burst.loss",
     " other than loss"},
    {"system.link.burst.end", bursts_are_as_all, "a burst loses as many frames as the link does without",
     "system.link.burst.loss", " other than loss"},
    {kBursts, no_burst_begins, "no burst begins", kBegin, kSome, But::tape},
    {"system.link.loss", always_in_burst, "all frames are in one burst", "system.link.burst.end", kSome},
    {"system.link.lateness", none_is_late, "no frame is copied or comes late", "system.link.reordering", kSome,
     But::tape},
    {"system.link.jitter", delay_does_not_vary, "no delay varies", "system.link.delay_variation", kSome, But::tape},
    {"system.link.jitter", all_are_overtaken, "all frames are overtaken, and their delay is drawn from lateness",
     "system.link.reordering", " of less than 100 %"},
    {"system.link.delay_variation", all_are_overtaken,
     "all frames are overtaken, and their delay is drawn from lateness", "system.link.reordering",
     " of less than 100 %"},
    {"system.link.down.period", is_never_down, "the link is never down", "system.link.down.probability", kSome,
     But::tape},
    {"system.link.down.duration", is_never_down, "the link is never down", "system.link.down.probability", kSome,
     But::tape},
    {"system.link.ecn_marking", none_is_markable, "no frame that crosses it may be marked", "system.rnic.rc.congestion",
     ": dcqcn, or run.ecn: true of plain hosts"},
    {"system.link.", is_not_on_a_way, "no item's frames cross the link", "run.traffic",
     " with hosts at both sides of it", But::file},
});

}  // namespace

std::span<const UnreadRule> unread_of_links() { return kLinkRules; }

}  // namespace rnicsim
