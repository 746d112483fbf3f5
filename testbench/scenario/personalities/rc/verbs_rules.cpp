// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/rc/verbs_rules.h"

#include "model/network/routes.h"
#include "model/rnic/rc/ack_time.h"
#include "model/rnic/rc/context_cache.h"
#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/rings.h"
#include "testbench/kits/rc/verbs_message.h"
#include "testbench/scenario/applications.h"
#include "testbench/scenario/personalities/rc/application_rules.h"
#include "testbench/scenario/personalities/rc/bridge_rules.h"
#include "testbench/scenario/personalities/rc/persist_rules.h"
#include "testbench/scenario/personalities/rc/verbs_item_rules.h"
#include "testbench/scenario/personalities/rc/verbs_room.h"
#include "testbench/scenario/personalities/rc/verbs_times.h"
#include "tlm/ethernet/frame.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

/// "at most 1024 B: ", the largest payload that is one of a PMTU and fits; nothing if none does.
std::string pmtu_below(std::int64_t mtu) {
    for (const std::int64_t payload : {4096, 2048, 1024, 512, 256}) {
        if (payload + std::int64_t{kPacketHeaders} <= mtu) return "at most " + std::to_string(payload) + " B: ";
    }
    return "an MTU with room for 256 B: ";
}

void check_host(const VerbsEndConfig& end, Lookup& in) {
    if (end.attributes.path_mtu + kPacketHeaders > end.card.gmac.mtu) {
        in.refuse("system.rnic.rc.pmtu", "system.rnic.gmac.mtu",
                  "found '" + in.text("system.rnic.rc.pmtu") + "', expected " + pmtu_below(end.card.gmac.mtu) +
                      "the MTU, " + in.text("system.rnic.gmac.mtu") +
                      ", has 64 B of headers as well; or gmac.mtu of at "
                      "least " +
                      std::to_string(end.attributes.path_mtu + kPacketHeaders) + " B");
    }
    const std::int64_t frame = std::int64_t{end.card.gmac.mtu} + std::int64_t{kEthernetHeaderBytes + kFcsBytes};
    for (const char* const key : {"system.rnic.rc.tx_buffer", "system.rnic.rc.rx_buffer"}) {
        if (in.number(key) >= frame) continue;
        in.refuse(key, "system.rnic.gmac.mtu",
                  "found '" + in.text(key) + "', expected at least the largest frame: " + std::to_string(frame) + " B");
    }
    const std::string persistence = std::string(kPersistence) + '.';
    for (const char* const of : {"iio", "llc", "imc"}) {
        const std::string key = persistence + of + ".capacity";
        if (in.number(key) % kLineBytes == 0) continue;
        in.refuse(key, key, "found '" + in.text(key) + "', expected a multiple of 64 B: it holds whole lines");
    }
    const Time tick = end.card.clock.period(), link = end.card.clock.time(end.card.pcie.latency);
    if (link < tick || end.host.clock.time(end.host.pcie.latency) < end.host.clock.period()) {
        in.refuse("system.rnic.pcie.latency", "system.rnic.clock",
                  "found '" + in.text("system.rnic.pcie.latency") + "', expected at least " +
                      write_limit(*find_key("system.rnic.pcie.latency"), std::max(tick, end.host.clock.period()).ps) +
                      ": a cycle of either end's clock");
    }
}

/// Why the hosts that ask have one thread in this item; nothing: they may have more.
std::optional<std::string> why_one_thread(const TrafficConfig& item) {
    if (item.verbs.outstanding != 0)
        return "the item '" + item.name + "' has outstanding, which one thread counts for all its connections";
    const applications::Application* const protocol = protocol_of(item);
    if (protocol == nullptr || !protocol->has_one_thread()) return {};
    return "one thread has all ends of " + std::string(protocol->name()) + " on a host";
}

void check_threads(const RunConfig& config, Lookups& in) {
    const std::string key = "system.host.verbs.threads";
    for (const TrafficConfig& item : config.traffic) {
        const auto why = item.workload == Workload::verbs ? why_one_thread(item) : std::nullopt;
        if (!why) continue;
        for (const unsigned from : item.from) {
            if (verbs_of(config, from).host.threads == 1) continue;
            in.ends[from].refuse(
                key, item.verbs.outstanding == 0 ? "run.application" : "run.outstanding",
                "found '" + in.ends[from].text(key) + "' on '" + config.names[from] + "', expected 1: " + *why);
        }
    }
}

/// A pause is known behind the receiving MAC, at an edge of the clock; what has been handed to the sending one still
/// leaves. Whoever pauses counts on the reaction that is said: with less headroom it would lose frames.
void check_pause_reaction(const VerbsEndConfig& end, Lookup& in) {
    const rc::CardConfig& card = end.card;
    const Time least = card.clock.time(card.gmac.rx_latency + card.gmac.tx_latency + Cycle{1});
    if (card.pause_reaction >= least) return;
    const std::string key = "system.rnic.gmac.pause_reaction", late = "system.rnic.gmac.rx_latency";
    const std::string why = ": gmac.rx_latency, gmac.tx_latency and a cycle pass before a pause is obeyed";
    const auto limit = [&](Time time) { return write_limit(*find_key(key), time.ps); };
    if (in.number(key) == 0) {
        in.refuse(late, "system.rnic.gmac.tx_latency",
                  "found '" + in.text(late) + "', together with gmac.tx_latency " + limit(least) +
                      ", expected at most what the link's rate allows, " + limit(card.pause_reaction) + why);
    }
    in.refuse(key, late, "found '" + in.text(key) + "', expected at least " + limit(least) + why);
}

/// The slowest QP asks for an ACK and gets it before its timer expires; else it would repeat the same for ever.
void check_congestion(const VerbsEndConfig& end, Lookup& in) {
    const std::optional<std::int64_t> slowest = least_rate(end);
    if (!slowest) return;
    const std::int64_t line_rate = end.card.transport.line_rate;
    const std::string least = "system.rnic.rc." + std::string(end.card.transport.congestion->name()) + ".least_rate";
    if (*slowest > line_rate) {
        in.refuse(least, "system.link.rate",
                  "found '" + in.text(least) + "', expected at most the rate of the host's link, " +
                      write_limit(*find_key(least), line_rate));
    }
    const std::int64_t packets = std::min(end.card.transport.window, end.card.transport.ack_interval);
    const auto lasts = [&](std::int64_t rate, unsigned timeout) {
        return rc::ack_time(static_cast<std::uint8_t>(timeout)) >= time_at_rate(end, packets, rate);
    };
    if (lasts(*slowest, end.attributes.timeout)) return;
    unsigned timeout = end.attributes.timeout;
    while (!lasts(*slowest, timeout)) ++timeout;
    std::int64_t bad = *slowest, good = line_rate;
    while (good - bad > 1) (lasts((good + bad) / 2, end.attributes.timeout) ? good : bad) = (good + bad) / 2;
    const std::string faster =
        lasts(good, end.attributes.timeout) ? "at least " + write_limit(*find_key(least), good) + ", or " : "";
    in.refuse(least, "system.rnic.rc.timeout",
              "found '" + in.text(least) + "', expected " + faster + "rc.timeout of at least " +
                  std::to_string(timeout) + ": at this rate it expires before " + std::to_string(packets) +
                  " packets are sent, and an ACK is asked for");
}

/// What only answers bring about has no effect on a card without reliable connections.
void check_answered(const RunConfig& config, unsigned host, Lookup& in) {
    const auto is_of_host = [&](const TrafficConfig& item) {
        return item.workload == Workload::verbs && item.has_card &&
               (item.initiates(host) || std::ranges::find(item.to, host) != item.to.end());
    };
    const bool any = std::ranges::any_of(config.traffic, is_of_host);
    if (!any || std::ranges::any_of(config.traffic, [&](const TrafficConfig& item) {
            return is_of_host(item) && item.verbs.is_reliable();
        }))
        return;
    const rc::RcConfig& card = verbs_of(config, host).card.transport;
    const auto refuse = [&](const char* key) {
        in.refuse(key, "run.service",
                  "has no effect: '" + config.names[host] +
                      "' has no item of service rc, where packets are answered, expected run.service: rc");
    };
    if (card.retransmission->name() != rc::retransmission("go_back_n").name()) refuse("system.rnic.rc.retransmission");
    if (card.congestion->name() != "none") refuse("system.rnic.rc.congestion");
}

/// A QP holds a shared receive WQE from a SEND's first packet to its last one. If that does not come, as its sender has
/// failed, or for UC it is lost, the QP holds it for good: one has to be left for the others.
void check_shared(const RunConfig& config, Lookups& in) {
    std::vector<std::int64_t> holders(config.names.size());
    for (const TrafficConfig& item : config.traffic) {
        const auto sends = [](rc::Verb verb) { return is_send(verb); };
        if (item.workload != Workload::verbs || !item.verbs.any(sends)) continue;
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) {
                const std::uint32_t pmtu =
                    std::min(verbs_of(config, from).attributes.path_mtu, verbs_of(config, to).attributes.path_mtu);
                if (item.size <= pmtu) continue;
                holders[to] += item.verbs.connections;
                if (item.verbs.pattern == VerbsPattern::ping_pong) holders[from] += item.verbs.connections;
            }
        }
    }
    const std::string key = "system.host.verbs.shared_receives";
    for (unsigned host = 0; host < config.names.size(); ++host) {
        if (!is_verbs(config, host)) continue;
        const std::int64_t shared = verbs_of(config, host).host.shared_receives;
        if (verbs_of(config, host).host.srq_limit > shared)
            in.ends[host].refuse("system.host.verbs.srq_limit", key,
                                 "found '" + in.ends[host].text("system.host.verbs.srq_limit") +
                                     "', expected at most shared_receives, " + std::to_string(shared) +
                                     ": the queue is never fuller");
        if (shared == 0 || shared > holders[host]) continue;
        in.ends[host].refuse(key, "system.host.verbs.receive_queues",
                             "found '" + in.ends[host].text(key) + "', expected at least " +
                                 std::to_string(holders[host] + 1) + ": each of '" + config.names[host] + "'s " +
                                 std::to_string(holders[host]) +
                                 " QPs that get SENDs of several packets may keep one for good, when a packet is lost "
                                 "or its sender fails, and the others would wait for ever");
    }
}

/// Each switch on the way takes a full packet.
void check_switches(const RunConfig& config, const Routes& routes, unsigned from, unsigned to, Lookup& in) {
    const std::int64_t pmtu =
        std::min(verbs_of(config, from).attributes.path_mtu, verbs_of(config, to).attributes.path_mtu);
    for (const Routes::Port& hop : routes.path(from, to)) {
        const Node& next = config.links[hop.link].between.at(1 - hop.side);
        if (next.kind != Node::Kind::network_switch || pmtu + kPacketHeaders <= config.switches[next.index].mtu)
            continue;
        in.refuse("system.rnic.rc.pmtu", "system.switch.mtu",
                  "found '" + in.text("system.rnic.rc.pmtu") + "', expected " +
                      pmtu_below(config.switches[next.index].mtu) + "the MTU of switch '" +
                      config.switches[next.index].name + "', " + std::to_string(config.switches[next.index].mtu) +
                      " B, has 64 B of headers as well; or " +
                      path_in("system.switches." + config.switches[next.index].name, "system.switch.mtu") +
                      " of at least " + std::to_string(pmtu + kPacketHeaders) + " B");
    }
}

/// The timer of a QP outlasts an answer where nothing waits but for `more`: else it repeats what is on its way for
/// ever.
void check_timeout(const RunConfig& config, const Routes& routes, PersistScheme scheme, Time more, unsigned from,
                   unsigned to, Lookup& in) {
    const VerbsEndConfig& end = verbs_of(config, from);
    const VerbsEndConfig& peer = verbs_of(config, to);
    Time answer = answer_time(config, routes, from, to) + more;
    // The peer may be slowed down in the middle of an answer to a READ: a packet waits for its own time and that of the
    // one before.
    if (const auto rate = least_rate(peer)) answer += time_at_rate(peer, 2, *rate);
    unsigned least = end.attributes.timeout;
    while (rc::ack_time(static_cast<std::uint8_t>(least)) < answer) ++least;
    if (least == end.attributes.timeout) return;
    in.refuse("system.rnic.rc.timeout", "system.link.delay",
              "found '" + in.text("system.rnic.rc.timeout") + "', expected at least " + std::to_string(least) +
                  ": an answer from '" + config.names[to] + "' takes longer than 4.096 us x 2^" +
                  std::to_string(least - 1) +
                  (scheme == PersistScheme::none ? "" : "; run.unsafe: true runs it, to see what it does"));
}

void check_ways(const RunConfig& config, Lookups& in) {
    const Routes routes(config.names.size(), config.switches.size(), config.links);
    for (const TrafficConfig& item : config.traffic) {
        if (item.workload != Workload::verbs || !item.has_card) continue;
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) {
                check_switches(config, routes, from, to, in.ends[from]);
                if (!item.verbs.is_reliable() || item.verbs.unsafe) continue;
                const Time firmware = firmware_time(item.verbs, verbs_of(config, to));
                const bool two_acks = item.verbs.persist.two_acks;
                check_timeout(config, routes, item.verbs.scheme, two_acks ? Time{} : firmware, from, to, in.ends[from]);
                check_timeout(config, routes, item.verbs.scheme, {}, to, from, in.ends[to]);  // in turn it asks, too
                if (two_acks) check_persist_timer(config, routes, firmware, from, to, in.ends[from]);
            }
        }
    }
}

}  // namespace

void check_verbs(const RunConfig& config, Lookups& in) {
    for (unsigned host = 0; host < config.names.size(); ++host) {
        if (!is_verbs(config, host)) continue;
        check_host(verbs_of(config, host), in.ends[host]);
        check_pause_reaction(verbs_of(config, host), in.ends[host]);
        check_congestion(verbs_of(config, host), in.ends[host]);
        check_answered(config, host, in.ends[host]);
    }
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        if (item.workload == Workload::verbs) {
            check_verbs_item(config, item, in.traffic[i]);
        } else if (item.workload == Workload::transfers && in.traffic[i].number("run.operation") > 2) {
            in.traffic[i].refuse("run.operation", "run.operation",
                                 "found '" + in.traffic[i].text("run.operation") +
                                     "', expected write, read or alternate: DRP has no other");
        }
    }
    check_threads(config, in);
    check_bridges(config, in);
    check_applications(config, in);
    check_persists(config, in);
    check_room(config, in);
    check_shared(config, in);
    if (has_verbs(config)) check_ways(config, in);
}

}  // namespace rnicsim
