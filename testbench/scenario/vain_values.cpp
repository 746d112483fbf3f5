// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/vain_values.h"

#include "testbench/scenario/applications.h"
#include "testbench/scenario/personality_rules.h"
#include "testbench/scenario/resolve.h"
#include "testbench/scenario/variant_reader.h"

#include <algorithm>

namespace rnicsim {
namespace {

/// Of these there are several in a scenario, each with values of its own; what is of the run is always read.
bool is_of_items(const std::string& path) {
    const std::string common = common_path(path);
    return owner_of(common) != Owner::run && common != "system.hosts.*.count";
}

const std::vector<Lookup>& items(const Lookups& in, Owner owner) {
    switch (owner) {
        case Owner::host: return in.ends;
        case Owner::network_switch: return in.switches;
        case Owner::link: return in.links;
        case Owner::bridge: return in.bridges;
        case Owner::traffic:
        case Owner::run: break;
    }
    return in.traffic;
}

/// What stands in its place, as the items that would read it see it.
std::string who_overrides(const std::string& path, const Lookups& in) {
    const std::string common = common_path(path);
    std::vector<Lookup::Origin> found;
    for (const Lookup& item : items(in, owner_of(common))) {
        if (!item.may_read(path)) continue;
        const Lookup::Origin origin = item.origin(common);
        if (origin.path.empty() || origin.path == path) continue;
        if (std::ranges::find(found, origin.path, &Lookup::Origin::path) == found.end()) found.push_back(origin);
    }
    if (found.empty()) return "has no effect: nothing in this scenario reads it";
    const std::string others =
        found.size() == 1 ? ""
                          : " and " + std::to_string(found.size() - 1) + (found.size() == 2 ? " other" : " others");
    return "has no effect: " + found[0].path + " (" + found[0].where + ')' + others +
           (found.size() == 1 ? " overrides it" : " override it") + ", expected " + found[0].reaches;
}

/// The item of an application that the host has; nullptr: none. Its items are of one.
const TrafficConfig* item_of_application(const RunConfig& config, unsigned host) {
    const auto has = [host](const TrafficConfig& item) {
        return protocol_of(item) != nullptr && std::ranges::any_of(item.from, [&](unsigned from) {
                   const std::vector<unsigned> to = item.responders(from);
                   return from == host || std::ranges::find(to, host) != to.end();
               });
    };
    const auto found = std::ranges::find_if(config.traffic, has);
    return found == config.traffic.end() ? nullptr : &*found;
}

/// An application decides what is posted, and no key of messages does: what would have the host read what is off;
/// empty: the rule knows.
std::string turn_of_application(const UnreadRule& rule, const Part& part) {
    const bool wants_threads = rule.turn == "system.host.verbs.threads";
    const bool of_application = rule.turn.starts_with("run.") && std::ranges::count(rule.turn, '.') > 1;
    const bool wants_messages = rule.turn.starts_with("run.") && !of_application && rule.turn != "run.application" &&
                                rule.turn != "run.connections";
    if (!wants_threads && !wants_messages) return {};
    const TrafficConfig* const item = item_of_application(part.config, static_cast<unsigned>(part.number));
    if (item == nullptr) return {};
    const applications::Application& protocol = *protocol_of(*item);
    if (rule.keys.ends_with("rnr_retry") || rule.keys.ends_with("min_rnr_timer"))
        return "another run.application, or none";
    if (wants_threads) return protocol.has_one_thread() ? "another run.application" : "";
    if (!protocol.plan(*item).verbs) return std::string(protocol.with_verbs());
    return rule.turn == "run.traffic" ? "" : "another run.application, or none";
}

/// What is off, and what would turn it on, at the level of the path. `part`: a host; nullptr: another one.
std::string why_off(const UnreadRule& rule, const std::string& path, const Lookup& item, const Part* part) {
    if (const std::string other = part == nullptr ? "" : turn_of_application(rule, *part); !other.empty())
        return "has no effect: " + std::string(rule.why) + ", expected " + other;
    std::string turn(rule.turn);
    if (find_key(turn) != nullptr) {
        const Lookup::Origin origin = item.asked().contains(turn) ? item.origin(turn) : Lookup::Origin{};
        const auto level = item_path(path);
        if (!origin.path.empty()) {
            turn = origin.reaches;
        } else if (level) {
            turn = path_in(level->level, turn);
        }
    }
    return "has no effect: " + std::string(rule.why) + ", expected " + turn + std::string(rule.to);
}

bool is_preset(const std::string& path) { return preset_of(common_path(path)) != nullptr; }

/// Is it what the key has anyway?
bool is_unwritten(const ParsedScenario& parsed, const std::string& path, const Value& value) {
    const Key& key = *find_key(path);
    if (is_list(key.kind)) return value.list.empty();
    const auto text = item_path(path) ? std::string(key.fallback) : text_of_unwritten(parsed, key);
    Value unwritten;
    std::string expected;
    return text && read_value(key, *text, unwritten, expected) && unwritten.number == value.number &&
           unwritten.fraction == value.fraction;
}

}  // namespace

void VainValues::add(std::size_t variant, const RunConfig& config, const Lookups& in) {
    const InUse use(config, purpose_.programs);
    const auto note = [&](Owner owner, const std::vector<Lookup>& parts, auto unread) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const Part part{config, i, use};
            for (const auto& [key, path] : parts[i].asked()) {
                if (path.empty() || read_.at(variant).contains(path)) continue;
                if (const char* const why = unread(i, key)) {
                    off_.at(variant).try_emplace(path, Off{std::string("has no effect: ") + why, But::none});
                    continue;
                }
                if (const UnreadRule* const rule = find_unread(owner, part, key, purpose_)) {
                    if (common_path(path) != key) continue;  // a preset's
                    const auto by_items = [](But but) { return but == But::programs || but == But::file; };
                    const auto [off, added] = off_.at(variant).try_emplace(path);
                    // What another part is without tells more than that no item makes this one do it.
                    if (added || (by_items(off->second.but) && !by_items(rule->but)))
                        off->second = {why_off(*rule, path, parts[i], owner == Owner::host ? &part : nullptr),
                                       rule->but};
                } else {
                    read_.at(variant).insert(path);
                }
            }
        }
    };
    const auto all = [](std::size_t /*number*/, const std::string& /*key*/) -> const char* { return nullptr; };
    note(Owner::host, in.ends, all);
    note(Owner::network_switch, in.switches, all);
    note(Owner::link, in.links, all);
    note(Owner::bridge, in.bridges, all);
    note(Owner::traffic, in.traffic,
         [&](std::size_t number, const std::string& key) { return why_unread(config.traffic[number], key); });
}

bool VainValues::is_read(const std::string& path) const {
    return std::ranges::any_of(read_, [&](const Paths& paths) { return paths.contains(path); });
}

std::string VainValues::why(const std::string& path, const ParsedVariant& variant, const ParsedValues& first,
                            const std::string& file) const {
    // Of several variants the last one's: that of dynamic tells more than that of traditional.
    for (auto off = off_.rbegin(); off != off_.rend(); ++off) {
        if (const auto found = off->find(path); found != off->end()) return found->second.why;
    }
    ParsedValues values = variant.values;
    values.insert(first.begin(), first.end());
    std::string text;
    resolve(values, parsed_.network, file,
            [&](const RunConfig& /*config*/, const Lookups& in) { text = who_overrides(path, in); });
    return text;
}

std::vector<VainValue> VainValues::check(const ParsedValues& first, const std::string& file) const {
    const ParsedVariant& front = parsed_.variants.list.front();
    const auto check = [&](const std::string& path, const std::string& where) {
        if (is_of_items(path) && !is_read(path)) reject(where, path, why(path, front, first, file));
    };
    for (const auto& [path, written] : parsed_.values) {
        if (written.where == "--set") check(path, written.where);
    }
    for (const ParsedAxis& axis : parsed_.axes) {
        for (const std::string& path : axis.keys) check(path, axis.where);
    }
    for (std::size_t i = 0; i < read_.size(); ++i) {
        const ParsedVariant& variant = parsed_.variants.list[i];
        for (const auto& [path, written] : variant.values) {
            if (written.where.empty() || !is_of_items(path) || read_[i].contains(path)) continue;
            const auto off = off_[i].find(path);
            const bool of_methods = path == kMethodKey && parsed_.variants.key == kMethods;  // nobody wrote the key
            reject(written.where, of_methods ? kMethods : path,
                   off != off_[i].end() ? off->second.why : why(path, variant, first, file));
        }
    }
    std::vector<VainValue> of_file;
    for (const auto& [path, written] : parsed_.values) {
        if (written.where == "--set" || !is_of_items(path) || is_read(path)) continue;
        if (is_unwritten(parsed_, path, written.value)) continue;
        bool off = false, described = false;
        for (const auto& of : off_) {
            const auto found = of.find(path);
            if (found == of.end()) continue;
            off = true;
            described = described || found->second.but == But::file;
        }
        if (described || (!off && is_preset(path))) continue;  // a listing has a preset and all keys that it decides
        of_file.push_back({path, written.where + ": " + path + ": " + why(path, front, first, file)});
    }
    return of_file;
}

}  // namespace rnicsim
