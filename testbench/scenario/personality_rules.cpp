// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personality_rules.h"

#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/plain/end_config.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/scenario/applications.h"
#include "testbench/scenario/personalities/drp/block_keys.h"
#include "testbench/scenario/personalities/personality.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

/// All hosts of an item are of one personality.
void check_ends_fit(const RunConfig& config, Lookups& in) {
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        for (const std::vector<unsigned>* const hosts : {&item.from, &item.to}) {
            for (const unsigned host : *hosts) {
                const Personality& of = personality_of(config, host);
                if (of.workload() == item.workload) continue;
                in.traffic[i].refuse_item("run.traffic." + item.name,
                                          "'" + config.names[item.from.front()] + "' is " +
                                              std::string(personality_of(config, item.from.front()).name()) + " and '" +
                                              config.names[host] + "' is " + std::string(of.name()) +
                                              ", expected hosts of one personality");
            }
        }
    }
}

/// Applications that have a protocol speak verbs.
void check_protocols(const RunConfig& config, Lookups& in) {
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        if (protocol_of(item) == nullptr || item.workload == Workload::verbs) continue;
        in.traffic[i].refuse("run.application", "run.application",
                             "found '" + item.application + "' between hosts without a RoCEv2 RNIC, expected " +
                                 "hosts with one, such as those of rnic: {profile: cx5_100g}");
    }
}

/// A key of an item that not all workloads have a use for: why not, by workload; nullptr: it has.
struct ItemKey {
    std::string path;
    std::array<const char*, 3> why_not;
    std::string_view application{};  ///< whose key it is
};
constexpr const char* kOtherApplication =
    "the item has another application, or none, expected `application` as this section is called";
constexpr const char* kOneAtATime = "its application has one operation of a connection under way, expected another one";
constexpr const char* kApplicationSays = "its application says what is posted, expected an item without one";

/// Of the keys of messages those that applications have a use for.
bool is_for_applications(std::string_view path) {
    constexpr std::array kFor{"run.depth", "run.connections", "run.dscp", "run.sizes", "run.think"};
    return std::ranges::find(kFor, path) != kFor.end();
}

std::vector<ItemKey> declare_item_keys() {
    constexpr const char* kFrames = "plain hosts send frames, expected it for hosts with an RNIC";
    constexpr const char* kNotPlain = "RNICs have transfers or messages, expected it for plain hosts";
    constexpr const char* kNotVerbs = "it is for messages of verbs, expected it for hosts with a RoCEv2 RNIC";
    constexpr const char* kFollow = "messages of verbs follow one another, expected 0 ns";
    std::vector<ItemKey> keys{
        {"run.operation", {nullptr, kFrames, nullptr}},
        {"run.in_flight",
         {nullptr, "plain hosts send frames, expected it for hosts with a DRP RNIC",
          "messages of verbs have `depth`, expected it for hosts with a DRP RNIC"}},
        {"run.class", {kNotPlain, nullptr, kNotPlain}},
        {"run.ecn", {kNotPlain, nullptr, kNotPlain}},
        {"run.think", {nullptr, nullptr, kFollow}},
        {"run.pace", {nullptr, nullptr, "messages of verbs follow one another, expected 0 Gbps"}},
    };
    const auto add = [&](std::string path) { keys.push_back({std::move(path), {kNotVerbs, kNotVerbs, nullptr}}); };
    for (const char* const path :
         {"run.service", "run.pattern", "run.depth", "run.outstanding", "run.connections", "run.signal_every",
          "run.dscp", "run.regions", "run.sizes", "run.scheme", "run.mark", "run.acks", "run.pack", "run.read_back",
          "run.behind", "run.receives_ahead", "run.region_table", "run.unsafe"}) {
        add(path);
    }
    for (std::size_t verb = 0; verb < rc::kItemVerbs; ++verb) {
        std::string path = mix_key(static_cast<rc::Verb>(verb));
        if (find_key(path) != nullptr) add(std::move(path));
    }
    for (const ListedApplication& one : all_applications()) {
        if (one.protocol == nullptr) continue;
        for (const Declared& of : one.protocol->keys()) keys.push_back({of.key.path, {}, one.word});
    }
    return keys;
}

const std::vector<ItemKey>& item_keys() {
    static const std::vector<ItemKey> kKeys = declare_item_keys();
    return kKeys;
}

/// Why an item with this workload and application has no use for the key; nullptr: it has.
const char* why_not(const ItemKey& key, const TrafficConfig& item) {
    const applications::Application* const protocol = protocol_of(item);
    if (!key.application.empty())
        return protocol != nullptr && protocol->has_section(key.application) ? nullptr : kOtherApplication;
    if (protocol == nullptr) return key.why_not.at(static_cast<std::size_t>(item.workload));
    if (key.path == "run.depth" && protocol->one_at_a_time()) return kOneAtATime;
    return is_for_applications(key.path) ? nullptr : kApplicationSays;
}

/// Has the key a value that it would not have by itself?
bool is_changed(Lookup& in, const std::string& path) {
    const Key& key = *find_key(path);
    const Value value = in.get(path);
    Value fallback;
    std::string expected;
    if (is_list(key.kind)) return !value.list.empty();  // the default of lists of items
    return read_value(key, std::string(key.fallback), fallback, expected) &&
           (value.number != fallback.number || value.fraction != fallback.fraction);
}

/// Values that other hosts have a use for. One for all items is right if some item takes it. A listing writes all keys,
/// so the default is no mistake.
void check_workload_keys(const RunConfig& config, Lookups& in) {
    for (const ItemKey& key : item_keys()) {
        bool taken = false;  // the value for all
        for (std::size_t i = 0; i < in.traffic.size(); ++i)
            taken = taken ||
                    (why_not(key, config.traffic[i]) == nullptr && in.traffic[i].nearest_path(key.path) == key.path);
        for (std::size_t i = 0; i < in.traffic.size(); ++i) {
            if (why_not(key, config.traffic[i]) == nullptr || !is_changed(in.traffic[i], key.path)) continue;
            if (taken && in.traffic[i].nearest_path(key.path) == key.path) continue;
            in.traffic[i].refuse(key.path, key.path, std::string("has no effect: ") + why_not(key, config.traffic[i]));
        }
    }
}

void check_host_keys(const RunConfig& config, const ParsedValues& values) {
    for (const auto& [path, written] : values) {
        const auto item = item_path(path);
        if (!item || item->owner != Owner::host) continue;
        std::vector<unsigned> hosts;
        for (unsigned host = 0; host < config.names.size(); ++host) {
            if (config.names[host] == item->name || config.groups[host] == item->name) hosts.push_back(host);
        }
        const auto uses = [&](unsigned host) { return personality_of(config, host).has_key(item->rest); };
        if (hosts.empty() || std::ranges::any_of(hosts, uses)) continue;
        reject(written.where, path,
               "has no effect, '" + std::string(item->name) + "' " +
                   std::string(personality_of(config, hosts.front()).why_not()));
    }
}

/// The same of keys for all hosts, where RoCEv2 RNICs are the only ones. A listing writes all of them, so the default
/// is no mistake.
void check_common_keys(const RunConfig& config, const ParsedValues& values) {
    if (!has_verbs(config) || has_drp(config)) return;
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
            used = personality_of(config, host).has_key(rest);
        if (!used) reject(written.where, path, "has no effect: no host here has an RNIC with it");
    }
}

/// Only blocks of DRP's RNIC have Verilog.
void check_blocks(const RunConfig& config, const ParsedValues& values) {
    if (has_drp(config)) return;
    for (const auto& [path, written] : values) {
        if (!is_block_key(common_path(path)) || written.value.number == 0) continue;
        reject(written.where, path, "has no effect: no host here has a DRP RNIC, whose blocks these are");
    }
}

}  // namespace

const char* why_unread(const TrafficConfig& item, const std::string& key) {
    const auto found = std::ranges::find(item_keys(), key, &ItemKey::path);
    if (found == item_keys().end()) return nullptr;
    if (const char* const why = why_not(*found, item)) return why;
    return found->application.empty() ? nullptr : protocol_of(item)->unread(item, key);
}

void keep_to_workload(TrafficConfig& item, std::uint32_t size) {
    const TrafficConfig none;
    if (item.workload != Workload::verbs) {
        item.verbs = none.verbs;
        item.size = size;  // without sizes that are drawn
    } else {
        if (item.application.empty()) item.think = none.think;
        item.pace = none.pace;
    }
    if (item.workload != Workload::transfers) item.in_flight = none.in_flight;
    if (item.workload == Workload::frames) {
        item.operation = none.operation;
    } else {
        item.traffic_class = none.traffic_class;
        item.ecn_capable = none.ecn_capable;
    }
}

void check_personalities(const RunConfig& config, Lookups& in, const ParsedValues& values) {
    check_ends_fit(config, in);
    check_protocols(config, in);
    check_workload_keys(config, in);
    check_host_keys(config, values);
    check_common_keys(config, values);
    check_blocks(config, values);
}

}  // namespace rnicsim
