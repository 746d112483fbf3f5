#include "testbench/scenario/vain_values.h"

#include "testbench/scenario/personality_rules.h"
#include "testbench/scenario/resolve.h"

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

}  // namespace

void VainValues::add(std::size_t variant, const RunConfig& config, const Lookups& in) {
    std::set<std::string>& paths = read_.at(variant);
    const auto note = [&](const Lookup& item, auto uses) {
        for (const auto& [key, path] : item.asked()) {
            if (!path.empty() && uses(key)) paths.insert(path);
        }
    };
    for (const auto* const list : {&in.ends, &in.switches, &in.links}) {
        for (const Lookup& item : *list) note(item, [](const std::string& /*key*/) { return true; });
    }
    for (std::size_t i = 0; i < in.traffic.size(); ++i) {
        note(in.traffic[i], [&](const std::string& key) { return item_uses(config.traffic[i].workload, key); });
    }
}

void VainValues::check(const ParsedValues& first, const std::string& file) const {
    const auto is_read = [](const std::string& path) {
        return [&path](const std::set<std::string>& paths) { return paths.contains(path); };
    };
    const auto refuse = [&](const std::string& path, const std::string& where, const ParsedVariant& variant) {
        ParsedValues values = variant.values;
        values.insert(first.begin(), first.end());
        std::string why;
        resolve(values, parsed_.network, file,
                [&](const RunConfig& /*config*/, const Lookups& in) { why = who_overrides(path, in); });
        reject(where, path, why);
    };
    const auto check = [&](const std::string& path, const std::string& where) {
        if (is_of_items(path) && std::ranges::none_of(read_, is_read(path)))
            refuse(path, where, parsed_.variants.list.front());
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
            if (written.where.empty() || !is_of_items(path) || is_read(path)(read_[i])) continue;
            refuse(path, written.where, variant);
        }
    }
}

}  // namespace rnicsim
