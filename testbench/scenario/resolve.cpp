// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/resolve.h"

#include "model/network/link/fields.h"
#include "model/network/switch/fields.h"
#include "model/ntb/fields.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/scenario/lookup.h"
#include "testbench/scenario/network_rules.h"
#include "testbench/scenario/personalities/drp/ends_that_talk.h"
#include "testbench/scenario/personalities/personality.h"
#include "testbench/scenario/personalities/plain/plain_rules.h"
#include "testbench/scenario/personalities/rc/rc.h"
#include "testbench/scenario/personalities/rc/verbs_rules.h"
#include "testbench/scenario/personality_rules.h"
#include "testbench/scenario/rules.h"
#include "testbench/scenario/run_fields.h"
#include "testbench/scenario/switch_rules.h"
#include "testbench/scenario/traffic_fields.h"
#include "tlm/ethernet/pause_frame.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

LinkConfig resolve_link(Lookup& in) {
    LinkConfig link = link_fields().read(in);
    link.byte_time = link.timing.per_byte;
    return link;
}

/// A value that both ends have of their own makes the common one vain.
void check_in_vain(const ParsedValues& values) {
    for (const auto& [path, written] : values) {
        if (!may_differ_by_end(path)) continue;
        if (values.contains(path_of_end(path, "a")) && values.contains(path_of_end(path, "b"))) {
            reject(written.where, path,
                   "has no effect, both ends have a value of their own; expected it or one of them");
        }
    }
}

/// What only one of the two forms has.
void check_form(const ParsedValues& values, const NetworkPlan& plan) {
    for (const auto& [path, written] : values) {
        const Key& key = *find_key(path);
        if (!plan.present() && (key.network || item_path(path))) {
            reject(written.where, path, "is for networks, expected `system.hosts`, too");
        }
        if (!plan.present()) continue;
        const bool of_a_or_b = common_path(path) != path && !item_path(path);
        if (of_a_or_b) reject(written.where, path, "is of the form with two ends; expected system.hosts.NAME");
        if (path == "run.direction") {
            reject(written.where, path, "is of the form with two ends; expected run.traffic with from and to");
        }
    }
    if (!plan.present()) {
        const auto refuse = [](const auto& items, const char* path) {
            if (!items.empty()) reject(items.front().where, path, "is for networks, expected `system.hosts`, too");
        };
        refuse(plan.switches, "system.switches");
        refuse(plan.links, "system.links");
        refuse(plan.bridges, "system.bridges");
        refuse(plan.traffic, "run.traffic");
    }
}

Lookups lookups_of_two(const ParsedValues& values, const std::string& file) {
    return {.common = Lookup(values, file),
            .ends = {Lookup(values, file, {"a"}), Lookup(values, file, {"b"})},
            .switches = {},
            .links = {Lookup(values, file)},
            .bridges = {},
            .traffic = {Lookup(values, file)}};
}

Lookups lookups_of(const NetworkPlan& plan, const Network& network, const ParsedValues& values,
                   const std::string& file) {
    Lookups in{.common = Lookup(values, file), .ends = {}, .switches = {}, .links = {}, .bridges = {}, .traffic = {}};
    for (const Network::Host& host : network.hosts) {
        in.ends.emplace_back(values, host.where,
                             std::vector{"system.hosts." + host.name, "system.hosts." + host.group});
    }
    for (const NetworkPlan::Item& item : plan.switches) {
        in.switches.emplace_back(values, item.where, std::vector{"system.switches." + item.name});
    }
    for (const Network::Link& link : network.links) {
        in.links.emplace_back(values, link.where,
                              std::vector{"system.links." + link.name, "system.links." + link.group});
    }
    for (const Network::Bridge& bridge : network.bridges) {
        in.bridges.emplace_back(values, bridge.where, std::vector{"system.bridges." + bridge.name});
    }
    for (const Network::Traffic& item : network.traffic) {
        in.traffic.emplace_back(values, item.where, std::vector{"run.traffic." + item.name});
    }
    return in;
}

void name_parts(const Network& network, RunConfig& config) {
    std::vector<std::string> names;
    for (const Network::Host& host : network.hosts) {
        names.push_back(host.name);
        config.groups.push_back(host.group);
    }
    config.names = HostNames::of_network(std::move(names));
    config.network = true;
    for (std::size_t i = 0; i < network.switches.size(); ++i) config.switches[i].name = network.switches[i];
    for (std::size_t i = 0; i < network.links.size(); ++i) {
        config.links[i].name = network.links[i].name;
        config.links[i].group = network.links[i].group;
        config.links[i].between = network.links[i].between;
    }
    for (std::size_t i = 0; i < network.bridges.size(); ++i) {
        config.bridges[i].name = network.bridges[i].name;
        config.bridges[i].between = network.bridges[i].between;
    }
    for (std::size_t i = 0; i < network.traffic.size(); ++i) {
        config.traffic[i].name = network.traffic[i].name;
        config.traffic[i].from = network.traffic[i].from;
        config.traffic[i].to = network.traffic[i].to;
        config.traffic[i].workload = personality_of(config, config.traffic[i].from.front()).workload();
    }
    // A reaction that is not said is the longest of its link.
    for (const LinkConfig& link : config.links) {
        for (const Node& node : link.between) {
            if (node.kind == Node::Kind::host) config.hosts[node.index]->join(link.timing);
        }
    }
}

/// How long a transfer of the item takes on the slowest of its initiators' links; nothing where only one initiates.
Cycle one_transfer(const RunConfig& config, const TrafficConfig& item) {
    unsigned initiators = 0;
    Time per_byte{};
    for (const LinkConfig& link : config.links) {
        for (const Node& node : link.between) {
            if (node.kind != Node::Kind::host || item.responders(node.index).empty()) continue;
            ++initiators;
            per_byte = std::max(per_byte, link.timing.per_byte);
        }
    }
    if (initiators < 2) return {};
    const Time cycle = kGmiiClock.period();
    return {(per_byte.ps * item.size + cycle.ps - 1) / cycle.ps};
}

/// Hosts whose items have a scheme have a persistence path, whether it is written or not.
void give_persistence(RunConfig& config, Lookups& in) {
    const auto give = [&](unsigned host) {
        std::optional<PersistenceConfig>& path = verbs_of(config, host).host.persistence;
        if (!path) path = resolve_persistence(in.ends[host]);
    };
    for (const TrafficConfig& item : config.traffic) {
        if (item.verbs.scheme == PersistScheme::none) continue;
        for (const unsigned from : item.from) {
            give(from);
            for (const unsigned to : item.responders(from)) give(to);
        }
    }
}

}  // namespace

RunConfig resolve(const ParsedValues& values, const NetworkPlan& plan, const std::string& file, const Read& read) {
    check_form(values, plan);
    RunConfig config;
    Network network;
    if (plan.present()) {
        network = expand(plan, values, file);
        check_items_exist(plan, network, values);
    } else {
        check_in_vain(values);
    }
    Lookups in = plan.present() ? lookups_of(plan, network, values, file) : lookups_of_two(values, file);
    for (std::size_t host = 0; host < in.ends.size(); ++host) {
        const Personality& of = plan.present() ? *network.hosts[host].personality : *personalities().front();
        if (plan.present()) static_cast<void>(in.ends[host].word("system.rnic.personality"));  // expand() has asked
        config.hosts.emplace_back(of.resolve(in.ends[host]));
    }
    for (Lookup& of : in.switches) config.switches.push_back(switch_fields().read(of));
    config.links.clear();
    for (Lookup& link : in.links) config.links.push_back(resolve_link(link));
    for (Lookup& bridge : in.bridges) config.bridges.push_back(ntb::fields().read(bridge));
    config.traffic.clear();
    for (Lookup& item : in.traffic) config.traffic.push_back(read_traffic(item));
    run_fields().read(config, in.common);
    if (plan.present()) {
        name_parts(network, config);
        check_personalities(config, in, values);
        for (std::size_t i = 0; i < config.traffic.size(); ++i) {
            TrafficConfig& item = config.traffic[i];
            keep_to_workload(item, in.traffic[i].u32("run.size"));
            if (in.traffic[i].number("run.random_start") == kWord) item.random_start = one_transfer(config, item);
        }
        give_persistence(config, in);
        check_plain_hosts(config, in);
        check_verbs(config, in);
        check_network(config, in);
        check_switches(config, in);
    } else {
        check_verbs(config, in);
        config.traffic[0].between_two(static_cast<Direction>(in.common.number("run.direction")));
    }
    check_rules(config, in);
    check_ends_talk(config, in);
    if (read) read(config, in);
    return config;
}

std::uint32_t resolve_repetitions(const ParsedValues& values) { return Lookup(values, "").u32("run.repetitions"); }

std::vector<std::string> resolved_keys() {
    const ParsedValues none;
    Lookup in(none, "");
    for (const Personality* one : personalities()) static_cast<void>(one->resolve(in));
    static_cast<void>(resolve_link(in));
    static_cast<void>(switch_fields().read(in));
    static_cast<void>(ntb::fields().read(in));
    static_cast<void>(read_traffic(in));
    static_cast<void>(run_fields().read(in));
    std::vector<std::string> keys;
    for (const auto& [key, path] : in.asked()) keys.push_back(key);
    // resolve() of two ends, resolve_repetitions(), and expand().
    keys.insert(keys.end(), {"run.direction", "run.repetitions", "system.hosts.*.count", "system.rnic.personality"});
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());  // a profile also says what a card is called
    return keys;
}

}  // namespace rnicsim
