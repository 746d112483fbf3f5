#include "testbench/scenario/personality_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {
namespace {

Workload workload_of(const RunConfig& config, unsigned host) {
    if (is_station(config, host)) return Workload::frames;
    return is_verbs(config, host) ? Workload::verbs : Workload::transfers;
}

std::string_view name_of(Workload workload) {
    constexpr std::array<std::string_view, 3> kNames{"drp", "plain", "rc"};
    return kNames.at(static_cast<std::size_t>(workload));
}

/// All hosts of an item are of one personality.
void check_ends_fit(const RunConfig& config, Lookups& in) {
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        for (const std::vector<unsigned>* const hosts : {&item.from, &item.to}) {
            for (const unsigned host : *hosts) {
                if (workload_of(config, host) == item.workload) continue;
                in.traffic[i].refuse_item("run.traffic." + item.name,
                                          "'" + config.names[item.from.front()] + "' is " +
                                              std::string(name_of(item.workload)) + " and '" + config.names[host] +
                                              "' is " + std::string(name_of(workload_of(config, host))) +
                                              ", expected hosts of one personality");
            }
        }
    }
}

/// Values that other hosts have a use for. A listing writes all keys, so the default is no mistake.
void check_workload_keys(const RunConfig& config, Lookups& in) {
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        const auto refuse = [&](const std::string& key, const std::string& why) {
            in.traffic[i].refuse(key, key, "has no effect: " + why);
        };
        const bool frames = item.workload == Workload::frames, verbs = item.workload == Workload::verbs;
        if (frames && in.traffic[i].number("run.operation") != 0)
            refuse("run.operation", "plain hosts send frames, expected it for hosts with an RNIC");
        if (item.workload != Workload::transfers && item.in_flight != 1) {
            refuse("run.in_flight", frames ? "plain hosts send frames, expected it for hosts with a DRP RNIC"
                                           : "messages of verbs have `depth`, expected it for hosts with a DRP RNIC");
        }
        if (!frames) {
            constexpr const char* kWhy = "RNICs have transfers or messages, expected it for plain hosts";
            if (item.traffic_class != 0) refuse("run.class", kWhy);
            if (item.ecn_capable) refuse("run.ecn", kWhy);
        }
        if (verbs && item.think != Cycle{}) refuse("run.think", "messages of verbs follow one another, expected 0 ns");
        if (verbs && item.pace != 0) refuse("run.pace", "messages of verbs follow one another, expected 0 Gbps");
        if (verbs) continue;
        constexpr const char* kWhy = "it is for messages of verbs, expected it for hosts with a RoCEv2 RNIC";
        if (!item.verbs.is_reliable()) refuse("run.service", kWhy);
        if (item.verbs.pattern != VerbsPattern::stream) refuse("run.pattern", kWhy);
        if (item.verbs.depth != VerbsTraffic{}.depth) refuse("run.depth", kWhy);
        if (item.verbs.outstanding != 0) refuse("run.outstanding", kWhy);
        if (item.verbs.connections != 1) refuse("run.connections", kWhy);
        if (item.verbs.signal_every != 1) refuse("run.signal_every", kWhy);
        if (item.verbs.region_of_host) refuse("run.regions", kWhy);
        if (!item.verbs.sizes.empty()) refuse("run.sizes", kWhy);
        if (!item.verbs.mix.empty()) refuse(mix_key(item.verbs.mix.front().verb), kWhy);
    }
}

/// Which keys of a host each personality has; a dot at the end: all below.
constexpr std::array<std::string_view, 3> kAll{".count", ".rnic.personality", ".rnic.profile"};
constexpr std::array<std::string_view, 2> kPlain{".rnic.gmac.mtu", ".rnic.gmac.pause_reaction"};
constexpr std::array<std::string_view, 11> kRc{".rnic.gmac.mtu",
                                               ".rnic.gmac.pause_reaction",
                                               ".rnic.gmac.tx_latency",
                                               ".rnic.gmac.rx_latency",
                                               ".rnic.clock",
                                               ".rnic.pcie.",
                                               ".rnic.rc.",
                                               ".host.memory.",
                                               ".host.clock",
                                               ".host.verbs.",
                                               ".host.software.interrupt_latency"};
constexpr std::array<std::string_view, 5> kNotDrp{".rnic.gmac.pause_reaction", ".rnic.clock", ".rnic.rc.",
                                                  ".host.clock", ".host.verbs."};

template <std::size_t N>
bool has(const std::array<std::string_view, N>& keys, std::string_view rest) {
    return std::ranges::any_of(
        keys, [&](std::string_view key) { return key.ends_with('.') ? rest.starts_with(key) : rest == key; });
}

bool has_key(Workload workload, std::string_view rest) {
    if (has(kAll, rest)) return true;
    switch (workload) {
        case Workload::frames: return has(kPlain, rest);
        case Workload::verbs: return has(kRc, rest);
        case Workload::transfers: break;
    }
    return !has(kNotDrp, rest);
}

std::string why_not(Workload workload) {
    switch (workload) {
        case Workload::frames:
            return "is plain: expected rnic.personality, rnic.profile, rnic.gmac.mtu or rnic.gmac.pause_reaction";
        case Workload::verbs: return "has a RoCEv2 RNIC: expected it of hosts with a DRP RNIC";
        case Workload::transfers: break;
    }
    return "has a DRP RNIC: expected it of hosts with another personality";
}

void check_host_keys(const RunConfig& config, const ParsedValues& values) {
    for (const auto& [path, written] : values) {
        const auto item = item_path(path);
        if (!item || item->owner != Owner::host) continue;
        std::vector<unsigned> hosts;
        for (unsigned host = 0; host < config.names.size(); ++host) {
            if (config.names[host] == item->name || config.groups[host] == item->name) hosts.push_back(host);
        }
        const auto uses = [&](unsigned host) { return has_key(workload_of(config, host), item->rest); };
        if (hosts.empty() || std::ranges::any_of(hosts, uses)) continue;
        reject(written.where, path,
               "has no effect, '" + std::string(item->name) + "' " + why_not(workload_of(config, hosts.front())));
    }
}

/// The same of keys for all hosts, where RoCEv2 RNICs are the only ones. A listing writes all of them, so the default
/// is no mistake.
void check_common_keys(const RunConfig& config, const ParsedValues& values) {
    if (config.verbs.empty() || !config.ends.empty()) return;
    for (const auto& [path, written] : values) {
        if (item_path(path) || owner_of(path) != Owner::host || written.where.empty()) continue;
        const Key& key = *find_key(path);
        Value fallback;
        std::string expected;
        if (is_list(key.kind) || !read_value(key, std::string(key.fallback), fallback, expected) ||
            fallback.number == written.value.number) {
            continue;
        }
        const std::string_view rest = std::string_view(path).substr(std::string_view("system").size());
        bool used = false;
        for (unsigned host = 0; host < config.names.size() && !used; ++host)
            used = has_key(workload_of(config, host), rest);
        if (!used) reject(written.where, path, "has no effect: no host here has an RNIC with it");
    }
}

/// Only blocks of DRP's RNIC have Verilog.
void check_blocks(const RunConfig& config, const ParsedValues& values) {
    if (!config.ends.empty()) return;
    for (const auto& [path, written] : values) {
        if (!is_block_key(common_path(path)) || written.value.number == 0) continue;
        reject(written.where, path, "has no effect: no host here has a DRP RNIC, whose blocks these are");
    }
}

}  // namespace

void check_personalities(const RunConfig& config, Lookups& in, const ParsedValues& values) {
    check_ends_fit(config, in);
    check_workload_keys(config, in);
    check_host_keys(config, values);
    check_common_keys(config, values);
    check_blocks(config, values);
}

}  // namespace rnicsim
