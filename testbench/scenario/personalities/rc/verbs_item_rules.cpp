// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/rc/verbs_item_rules.h"

#include "model/rnic/rc/end/end_config.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace rnicsim {
namespace {

constexpr std::uint64_t kWhole = 1'000'000;
constexpr std::uint32_t kWord = 8;  // bytes: no two messages have the same in a word

/// Of parts of a million, with the decimals that it has.
std::string percent(std::uint64_t parts) {
    std::string decimals = std::to_string(parts % 10'000 + 10'000).substr(1);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    return std::to_string(parts / 10'000) + (decimals.empty() ? "" : "." + decimals) + " %";
}

/// What is sent again, and what is kept of what comes ahead, is one rule; so is who tells of marks, and who slows down.
void check_both_ends(const RunConfig& config, const TrafficConfig& item, const Lookup& in) {
    const auto check = [&](auto rule) {
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) {
                const std::string_view here = rule(verbs_of(config, from).card.transport);
                const std::string_view there = rule(verbs_of(config, to).card.transport);
                if (here == there) continue;
                const bool has = !here.empty();
                in.refuse_item("run.traffic." + item.name,
                               "'" + config.names[has ? from : to] + "' has " + std::string(has ? here : there) +
                                   " and '" + config.names[has ? to : from] + "' has not, expected the same at both");
            }
        }
    };
    check([](const rc::RcConfig& card) {
        return card.retransmission->selective() ? card.retransmission->name() : std::string_view();
    });
    check([](const rc::RcConfig& card) {
        return card.congestion->hears_marks() ? card.congestion->name() : std::string_view();
    });
}

/// UC and UD: what the service has, and that nobody waits for a message that is lost.
void check_service(const RunConfig& config, const TrafficConfig& item, Lookup& in) {
    const bool datagram = item.verbs.service == roce::Service::datagram;
    const std::string carried =
        datagram ? "send or send_imm beside ud" : "send, send_imm, write or write_imm beside uc";
    for (const VerbsTraffic::Share& share : item.verbs.mix) {
        if (rc::carries(item.verbs.service, share.verb)) continue;
        const std::string path = mix_key(share.verb);
        in.refuse(path, "run.service", "found '" + in.text(path) + "', expected 0 %: " + carried);
    }
    if (!item.verbs.sizes.empty() && std::ranges::min(item.verbs.sizes) < kWord) {
        in.refuse("run.sizes", "run.service",
                  "found '" + in.text("run.sizes") + "', expected at least 8 B each beside " + in.text("run.service") +
                      ": which message has come shows by its bytes");
    }
    if (item.verbs.mix.empty() && !rc::carries(item.verbs.service, item.verbs.operation)) {
        in.refuse("run.operation", "run.service", "found '" + in.text("run.operation") + "', expected " + carried);
    }
    const Routes routes(config.names.size(), config.switches.size(), config.links);
    for (const unsigned from : item.from) {
        for (const unsigned to : item.responders(from)) {
            const std::uint32_t pmtu =
                std::min(verbs_of(config, from).attributes.path_mtu, verbs_of(config, to).attributes.path_mtu);
            if (datagram && item.size > pmtu) {
                const char* const key = item.verbs.sizes.empty() ? "run.size" : "run.sizes";
                in.refuse(key, "run.service",
                          "found '" + in.text(key) + "', expected at most the PMTU, " + std::to_string(pmtu) +
                              " B, beside ud: a datagram is one packet");
            }
            const bool shared =
                verbs_of(config, from).host.shared_receives != 0 || verbs_of(config, to).host.shared_receives != 0;
            if (item.verbs.pattern == VerbsPattern::ping_pong && shared && item.verbs.any(rc::takes_receive)) {
                in.refuse("run.pattern", "run.service",
                          "found 'ping_pong', expected stream beside " + in.text("run.service") +
                              " where receive WQEs are shared: a message that finds none is lost, and both ends "
                              "would wait");
            }
            if (item.verbs.pattern != VerbsPattern::ping_pong || is_kept(config, item, routes, from, to)) continue;
            in.refuse("run.pattern", "run.service",
                      "found 'ping_pong', expected stream beside " + in.text("run.service") + ": on the way from '" +
                          config.names[from] + "' to '" + config.names[to] +
                          "' frames may be lost, copied or overtaken, and both ends would wait");
        }
    }
}

/// A mix is in place of an operation, and sizes are in place of a size. A listing writes all keys, so the default is no
/// mistake.
void check_draws(const TrafficConfig& item, Lookup& in) {
    const VerbsTraffic& verbs = item.verbs;
    if (!verbs.sizes.empty() && in.number("run.size") != TrafficConfig{}.size) {
        in.refuse("run.size", "run.sizes",
                  "found '" + in.text("run.size") + "' beside sizes, expected it or sizes, " + in.text("run.sizes"));
    }
    if (!verbs.sizes.empty() && verbs.mix.empty() && rc::is_atomic(verbs.operation)) {
        in.refuse("run.sizes", "run.operation",
                  "found '" + in.text("run.sizes") + "', expected size: 8 B: atomics change eight bytes");
    }
    if (verbs.mix.empty()) return;
    const std::string first = mix_key(verbs.mix.front().verb);
    if (in.number("run.operation") != 0) {
        in.refuse("run.operation", first,
                  "found '" + in.text("run.operation") + "' beside a mix, expected it or run.mix");
    }
    std::uint64_t sum = 0;
    for (const VerbsTraffic::Share& share : verbs.mix) sum += share.parts;
    if (sum != kWhole) {
        in.refuse(first, first, "the shares of run.mix add up to " + percent(sum) + ", expected 100 %");
    }
    if (verbs.pattern == VerbsPattern::ping_pong) {
        in.refuse("run.pattern", first,
                  "found 'ping_pong', expected stream beside a mix: in turn both ends do the same");
    }
}

}  // namespace

bool is_kept(const RunConfig& config, const TrafficConfig& item, const Routes& routes, unsigned from, unsigned to) {
    const unsigned of_rc = item.verbs.dscp.value_or(rc::CardConfig{}.dscp) >> 3U;
    return std::ranges::all_of(routes.path(from, to), [&](const Routes::Port& hop) {
        const LinkConfig& link = config.links[hop.link];
        const Node& next = link.between.at(1 - hop.side);
        if (next.kind == Node::Kind::network_switch && !config.switches[next.index].pfc.lossless(of_rc)) return false;
        return link.loss == 0 && (link.loss_process == "independent" || link.burst.begin == 0) &&
               link.corruption == 0 && link.duplication == 0 && link.reordering == 0 && link.down.probability == 0;
    });
}

void check_verbs_item(const RunConfig& config, const TrafficConfig& item, Lookup& in) {
    check_draws(item, in);
    if (!item.verbs.is_reliable()) {
        check_service(config, item, in);
    } else if (item.has_card) {
        check_both_ends(config, item, in);
    }
    if (in.word("run.operation") == "alternate")
        in.refuse("run.operation", "run.operation", "found 'alternate', expected an operation of verbs");
    if (item.verbs.mix.empty() && rc::is_atomic(item.verbs.operation) && item.size != rc::kAtomicBytes) {
        in.refuse("run.size", "run.operation",
                  "found '" + in.text("run.size") + "', expected 8 B: atomics change eight bytes");
    }
    const bool ping_pong = item.verbs.pattern == VerbsPattern::ping_pong;
    const bool selective =
        item.verbs.is_reliable() && verbs_of(config, item.from.front()).card.transport.retransmission->selective();
    if (ping_pong && selective && item.verbs.operation == rc::Verb::write) {
        in.refuse("run.operation", "run.pattern",
                  "found 'write', expected write_imm or send beside ping_pong and selective_repeat: who polls a "
                  "message's last "
                  "byte would see it before the others");
    }
    if (ping_pong && item.verbs.signal_every != 1) {
        in.refuse(
            "run.signal_every", "run.pattern",
            "found '" + in.text("run.signal_every") + "', expected 1 beside ping_pong: each message ends by itself");
    }
    if (item.verbs.outstanding != 0 && (ping_pong || item.verbs.signal_every != 1)) {
        in.refuse("run.outstanding", ping_pong ? "run.pattern" : "run.signal_every",
                  "found '" + in.text("run.outstanding") +
                      "', expected 0, or a stream with a completion for each "
                      "message: the next connection's turn comes with one");
    }
    if (item.verbs.signal_every > item.verbs.depth) {
        in.refuse("run.signal_every", "run.depth",
                  "found '" + in.text("run.signal_every") + "', expected at most the depth, " + in.text("run.depth") +
                      ": what is outstanding waits for a completion");
    }
}

}  // namespace rnicsim
