// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/switch_rules.h"

#include "model/network/routes.h"
#include "model/network/switch/headroom.h"
#include "model/rnic/drp/end/end_config.h"
#include "tlm/ethernet/pause_frame.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

namespace rnicsim {
namespace {

/// Reserves and headroom have to fit into the buffer, with something left for a pool.
void check_buffer(const SwitchConfig& of, const std::vector<std::int64_t>& headroom, Lookup& in) {
    const auto queues = static_cast<std::int64_t>(headroom.size() * of.priorities);
    if (of.reserve * queues > of.buffer) {
        in.refuse("system.switch.reserve", "system.switch.buffer",
                  "found '" + in.text("system.switch.reserve") + "', expected at most " +
                      std::to_string(of.buffer / queues) + " B: its " + std::to_string(queues) +
                      (of.priorities == 1 ? " ports" : " queues") + " together have no more than the buffer, " +
                      in.text("system.switch.buffer"));
    }
    const std::int64_t all = std::popcount(of.pfc.classes) * std::reduce(headroom.begin(), headroom.end());
    const std::int64_t frame = of.mtu + static_cast<std::int64_t>(kEthernetHeaderBytes + kFcsBytes);
    if (all != 0 && of.reserve * queues + all + frame > of.buffer) {
        in.refuse("system.switch.buffer", "system.switch.pfc.headroom",
                  "found '" + in.text("system.switch.buffer") + "', expected at least " +
                      std::to_string(of.reserve * queues + all + frame) +
                      " B: the reserves, a headroom for each port and lossless class (" + std::to_string(all) +
                      " B), and a frame");
    }
}

void check_pfc(const RunConfig& config, unsigned number, const Routes& routes, Lookup& in) {
    const SwitchConfig& of = config.switches[number];
    const std::string pfc = "system.switch.pfc.";
    const std::vector<std::uint32_t> classes = in.get(pfc + "classes").list;
    if (static_cast<int>(classes.size()) != std::popcount(of.pfc.classes))
        in.refuse(pfc + "classes", pfc + "classes",
                  "found '" + in.text(pfc + "classes") + "', expected each class once");
    if (of.pfc.classes == 0) return;
    // One pause stops a queue: it may hold frames of lossless classes only, or none.
    for (unsigned a = 0; a < kTrafficClasses; ++a) {
        for (unsigned b = 0; b < kTrafficClasses; ++b) {
            if (of.priority_of(a) != of.priority_of(b) || !of.pfc.lossless(a) || of.pfc.lossless(b)) continue;
            in.refuse(pfc + "classes", "system.switch.priorities",
                      "found '" + in.text(pfc + "classes") +
                          "', expected queues of their own for lossless classes: " + std::to_string(a) +
                          " is one and " + std::to_string(b) + " is not, and with " + std::to_string(of.priorities) +
                          " priorities both use queue " + std::to_string(of.priority_of(a)));
        }
    }
    if (of.pfc.xoff != 0 && of.pfc.xon_below >= of.pfc.xoff) {
        in.refuse(pfc + "xon_below", pfc + "xoff",
                  "found '" + in.text(pfc + "xon_below") + "', expected less than pfc.xoff: " + in.text(pfc + "xoff"));
    }
    if (of.pfc.unchecked || of.pfc.headroom == 0) return;
    RunConfig by_need = config;
    by_need.switches[number].pfc.headroom = 0;
    const std::vector<std::int64_t> needed = headroom_of(by_need, number, routes.ports(number));
    const auto most = std::ranges::max_element(needed);
    if (of.pfc.headroom >= *most) return;
    in.refuse(pfc + "headroom", "system.switch.mtu",
              "found '" + in.text(pfc + "headroom") + "', expected at least " + std::to_string(*most) +
                  " B: so much may come by link '" +
                  config.links[routes.ports(number)[static_cast<std::size_t>(most - needed.begin())].link].name +
                  "' before its sender stops; or pfc.unchecked: true");
}

constexpr std::int64_t kMostQuanta = 65'535;  // 16 bits
constexpr const char* kOrUnchecked = "; or pfc.unchecked: true";

/// A pause is said again at half of its length; at each port it has to hold until then.
void check_quanta(const RunConfig& config, unsigned number, const Routes& routes, Lookup& in) {
    const SwitchConfig& of = config.switches[number];
    if (of.pfc.classes == 0 || of.pfc.unchecked) return;
    std::int64_t needed = 0;
    std::string by;
    Time longest;  // reaction there with which the longest pause would do
    for (const Routes::Port& port : routes.ports(number)) {
        const LinkConfig& link = config.links[port.link];
        const Time shortest = shortest_pause(of, link, reaction_at(config, port));
        const Time quantum = quanta(link.timing, 1);
        const std::int64_t at_port = (shortest.ps + quantum.ps - 1) / quantum.ps;
        if (at_port <= needed) continue;
        needed = at_port;
        by = link.name;
        longest = quanta(link.timing, kMostQuanta / 2) - Time{shortest_pause(of, link, Time{}).ps / 2};
    }
    if (of.pfc.quanta >= needed) return;
    const std::string expected =
        needed > kMostQuanta ? "pause_reaction of at most " +
                                   write_limit(*find_key("system.switch.pause_reaction"), longest.ps) + " of who sends"
                             : "at least " + std::to_string(needed);
    in.refuse("system.switch.pfc.quanta", "system.switch.pfc.classes",
              "found '" + in.text("system.switch.pfc.quanta") + "', expected " + expected + ": on link '" + by +
                  "' a pause would end before it is said again" + kOrUnchecked);
}

/// Of all who send to the switch: do they pause, and does what they send keep its order?
void check_senders(const RunConfig& config, unsigned number, const Routes& routes, Lookups& in) {
    const SwitchConfig& of = config.switches[number];
    if (of.pfc.classes == 0 || of.pfc.unchecked) return;
    Lookup& own = in.switches[number];
    if (of.learning) {
        own.refuse(
            "system.switch.table", "system.switch.pfc.classes",
            "found 'learning', expected static beside pfc.classes: each copy of a frame to an unknown host takes "
            "headroom" +
                std::string(kOrUnchecked));
    }
    for (const Routes::Port& port : routes.ports(number)) {
        const LinkConfig& link = config.links[port.link];
        const Node& sender = link.between.at(1 - port.side);
        if (sender.kind == Node::Kind::network_switch &&
            (config.switches[sender.index].pfc.classes & of.pfc.classes) != of.pfc.classes) {
            Lookup& other = in.switches[sender.index];
            const std::string found = other.text("system.switch.pfc.classes");
            other.refuse("system.switch.pfc.classes", "system.switch.pfc.classes",
                         "found '" + (found.empty() ? "[]" : found) + "' at '" + config.switches[sender.index].name +
                             "', expected " + own.text("system.switch.pfc.classes") + " as at '" + of.name +
                             "', to which it sends, or it does not pause" + kOrUnchecked);
        }
        for (const char* const key : {"duplication", "reordering", "delay_variation"}) {
            const std::string path = std::string("system.link.") + key;
            Lookup& of_link = in.links[port.link];
            if (of_link.fraction(path) == 0) continue;
            of_link.refuse(path, path,
                           "found '" + of_link.text(path) + "', expected 0 %: switch '" + of.name +
                               "' has lossless classes, whose headroom knows the delay only" + kOrUnchecked);
        }
    }
}

/// The DRP RNIC's class is 0, and it does not know pause frames.
void check_drp_is_not_paused(const RunConfig& config, unsigned number, const Routes& routes, Lookup& in) {
    if (!config.switches[number].pfc.lossless(0)) return;
    for (const unsigned host : drp_hosts(config)) {
        if (routes.to_hosts(number)[host] == routes.ports(number).size()) continue;  // not in this part of the network
        in.refuse("system.switch.pfc.classes", "system.switch.pfc.classes",
                  "found '" + in.text("system.switch.pfc.classes") + "', expected classes from 1 to 7: '" +
                      config.names[host] + "' has a DRP RNIC, which sends in class 0 and does not pause");
    }
}

void check_ecn(const SwitchConfig& of, Lookup& in) {
    if (of.ecn.at == EcnConfig::At::off || (of.ecn.kmin == 0 && of.ecn.kmax == 0)) return;
    if (of.ecn.kmin != 0 && of.ecn.kmax >= of.ecn.kmin) return;
    in.refuse("system.switch.ecn.kmin", "system.switch.ecn.kmax",
              "found '" + in.text("system.switch.ecn.kmin") + "' beside kmax '" + in.text("system.switch.ecn.kmax") +
                  "', expected both 0 B (by the rate), or neither and kmin at most kmax");
}

void check_weights(const SwitchConfig& of, Lookup& in) {
    if (of.weights.empty()) return;
    if (of.scheduler == Scheduler::strict) {
        in.refuse(
            "system.switch.weights", "system.switch.scheduler",
            "found '" + in.text("system.switch.weights") + "', expected [] with scheduler: strict, which has none");
    }
    if (of.weights.size() == of.priorities) return;
    in.refuse("system.switch.weights", "system.switch.priorities",
              "found '" + in.text("system.switch.weights") + "', expected a weight for each of " +
                  std::to_string(of.priorities) + " priorities, or []");
}

/// Frames to an unknown host would go round for ever.
void check_no_loop(const RunConfig& config, Lookups& in) {
    const auto learns = std::ranges::find_if(config.switches, &SwitchConfig::learning);
    if (learns == config.switches.end()) return;
    std::vector<unsigned> part(config.switches.size());  // by switch: one of those that it is joined to
    std::iota(part.begin(), part.end(), 0U);
    for (const LinkConfig& link : config.links) {
        if (link.between[0].kind == Node::Kind::host || link.between[1].kind == Node::Kind::host) continue;
        const unsigned one = part[link.between[0].index];
        const unsigned other = part[link.between[1].index];
        if (one == other) {
            Lookup& where = in.switches[static_cast<std::size_t>(learns - config.switches.begin())];
            where.refuse("system.switch.table", "system.switch.table",
                         "found 'learning', expected static: link '" + link.name +
                             "' makes a loop, in which frames to unknown hosts would go round for ever");
        }
        std::ranges::replace(part, other, one);
    }
}

}  // namespace

void check_switches(const RunConfig& config, Lookups& in) {
    const Routes routes(config.names.size(), config.switches.size(), config.links);
    check_no_loop(config, in);
    for (unsigned i = 0; i < config.switches.size(); ++i) {
        const std::vector<std::int64_t> headroom = headroom_of(config, i, routes.ports(i));
        check_weights(config.switches[i], in.switches[i]);
        check_ecn(config.switches[i], in.switches[i]);
        check_drp_is_not_paused(config, i, routes, in.switches[i]);
        check_pfc(config, i, routes, in.switches[i]);
        check_senders(config, i, routes, in);
        check_quanta(config, i, routes, in.switches[i]);
        check_buffer(config.switches[i], headroom, in.switches[i]);
    }
}

}  // namespace rnicsim
