// SPDX-License-Identifier: Apache-2.0
// Loading a scenario: reading, expanding the sweep, resolving each point.
#include "testbench/scenario/scenario.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "model/random.h"
#include "model/rnic/drp/end/end_config.h"
#include "testbench/scenario/listing.h"
#include "testbench/scenario/network_listing.h"
#include "testbench/scenario/old_names.h"
#include "testbench/scenario/reader.h"
#include "testbench/scenario/resolve.h"
#include "testbench/scenario/vain_values.h"
#include "testbench/scenario/variant_reader.h"

namespace rnicsim {
namespace {

/// The values of point `index`: the first axis is the slowest.
ParsedValues values_at(const ParsedScenario& parsed, std::size_t index,
                       std::vector<std::pair<std::string, std::string>>& labels) {
    ParsedValues values = parsed.values;
    labels.clear();
    for (auto axis = parsed.axes.rbegin(); axis != parsed.axes.rend(); ++axis) {
        const std::size_t place = index % axis->texts.size();
        index /= axis->texts.size();
        for (std::size_t k = 0; k < axis->keys.size(); ++k) {
            values[axis->keys[k]] = {axis->values[place][k], axis->where};
        }
        labels.emplace(labels.begin(), axis->name, axis->texts[place]);
    }
    return values;
}

std::string one_line(const std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string line;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (is_control(c)) {
            line += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
        } else {
            line += c;
        }
    }
    return line;
}

/// Does every variant say what this key is, so that there is no common value?
bool set_by_variants(const ParsedScenario& parsed, const std::string& path) {
    return std::ranges::all_of(parsed.variants.list, [&](const ParsedVariant& of) { return of.values.contains(path); });
}

void list_variants(Listing& out, const ParsedScenario& parsed) {
    const ParsedVariants& variants = parsed.variants;
    if (variants.key == kMethods) {
        std::vector<std::string> names;
        for (const ParsedVariant& variant : variants.list) names.push_back(variant.name);
        out.list(kMethods, names);
    } else {
        YAML::Node all;
        for (const ParsedVariant& variant : variants.list) {
            YAML::Node keys(YAML::NodeType::Map);
            for (const auto& [key, written] : variant.values) keys[key] = write_value(*find_key(key), written.value);
            all[variant.name] = keys;
        }
        out.node(kVariants, all);
    }
    if (!variants.compare.written) return;
    YAML::Node compare;
    compare["base"] = variants.list.at(variants.compare.base).name;
    compare["against"] = variants.list.at(variants.compare.against).name;
    compare["of"] = std::string(statistic_name(variants.compare.of));
    out.node(kCompare, compare);
}

/// `named`: has it variants with names?
std::string listing(const ParsedScenario& parsed, bool named) {
    const bool network = parsed.network.present();
    const bool has_persistence =
        std::ranges::any_of(parsed.values, [](const auto& written) { return gives_persistence(written.first); });
    Listing out;
    const auto keys_below = [&](const std::string& section) {
        for (const Key& key : all_keys()) {
            const std::string path(key.path);
            const auto written = parsed.values.find(path);
            // What is said of all items is theirs, where they have none of their own.
            const bool of_items = network && owner_of(path) == Owner::traffic && written != parsed.values.end();
            if (!path.starts_with(section) || (!is_common_key(key, network) && !of_items)) continue;
            if (written == parsed.values.end() && set_by_variants(parsed, path)) continue;
            if (is_persistence_key(path) && !has_persistence && written == parsed.values.end())
                continue;  // writing one may make all hosts have it
            const auto text = written == parsed.values.end() ? text_of_unwritten(parsed, key)
                                                             : write_value(key, written->second.value);
            if (text) out.key(path, key, *text);
        }
    };
    for (const std::string& section : {std::string("system."), std::string("simulation.")}) {
        keys_below(section);
        if (network && section == "system.") write_network(out, parsed);
        for (const char* const end : {"a.", "b."}) {
            for (const auto& [path, written] : parsed.values) {
                if (!path.starts_with(section + end)) continue;
                const Key& key = *find_key(path);
                out.key(path, key, write_value(key, written.value));
            }
        }
    }
    if (named) list_variants(out, parsed);
    keys_below("run.");
    if (network) write_traffic(out, parsed);
    if (!parsed.axes.empty()) out.sweep("run.sweep", parsed.axes);
    return out.text();
}

/// Both ends and the link, as they will be built: per-end values in place of common ones, swept keys marked.
std::string composition_of(const ParsedScenario& parsed, bool named) {
    if (parsed.network.present()) return listing(parsed, named);
    Listing out;
    const auto list_key = [&](const Key& key, const std::string& shown) {
        const std::string common(key.path);
        if (!parsed.values.contains(shown) && (set_by_variants(parsed, common) || set_by_variants(parsed, shown)))
            return;
        std::string text = text_of_unwritten(parsed, key).value_or(std::string(key.fallback));
        for (const std::string& path : {common, shown}) {
            if (const auto written = parsed.values.find(path); written != parsed.values.end()) {
                text = write_value(key, written->second.value);
            }
        }
        for (const ParsedAxis& axis : parsed.axes) {
            for (const std::string& swept : axis.keys) {
                if (swept != common && swept != shown) continue;
                out.remark(shown, "swept, axis " + axis.name);
                return;
            }
        }
        out.key(shown, key, text);
    };
    for (const std::string_view section : {"system.", "simulation.", "run."}) {
        for (const std::string_view end : {"a", "b", ""}) {
            for (const Key& key : all_keys()) {
                if (!key.path.starts_with(section) || key.network || may_differ_by_end(key.path) == end.empty())
                    continue;
                list_key(key, path_of_end(key.path, end));
            }
        }
    }
    return out.text();
}

/// Methods are of DRP RNICs: where nobody has one, they are all the same.
Variants variants_of(const ParsedScenario& parsed, std::vector<SweepPoint>& points) {
    const auto has_transfers = [](const SweepPoint& point) {
        return std::ranges::any_of(point.configs, [](const RunConfig& config) { return has_drp(config); });
    };
    Variants variants;
    if (parsed.variants.key == kMethods) variants.word = "method";
    if (parsed.variants.key == kMethods && std::ranges::none_of(points, has_transfers)) {
        if (!parsed.compare.where.empty())
            reject(parsed.compare.where, kCompare, "has no effect: there are no variants, and no host has a method");
        for (SweepPoint& point : points) point.configs.resize(1);
        variants.names = {std::string(Variants::kOnly)};
        return variants;
    }
    for (const ParsedVariant& variant : parsed.variants.list) variants.names.push_back(variant.name);
    if (variants.names.size() > 1) variants.compare = parsed.variants.compare;
    return variants;
}

}  // namespace

std::optional<std::string> text_of_unwritten(const ParsedScenario& parsed, const Key& key) {
    std::string text(key.fallback);
    const auto preset = std::ranges::find_if(presets(), [&](const Preset& one) { return one.decides(key.path); });
    if (preset != presets().end()) {
        const auto sweeps = [&](const ParsedAxis& axis) {
            return std::ranges::any_of(axis.keys, [&](const auto& path) { return common_path(path) == preset->key; });
        };
        const auto varies = [&](const ParsedVariant& variant) {
            return variant.values.contains(std::string(preset->key));
        };
        if (std::ranges::any_of(parsed.axes, sweeps) || std::ranges::any_of(parsed.variants.list, varies)) return {};
        if (const auto chosen = parsed.values.find(std::string(preset->key)); chosen != parsed.values.end()) {
            const Value& name = chosen->second.value;
            const auto names = preset->names();
            text = preset->value(names.at(static_cast<std::size_t>(name.number)), key.path).value_or(key.fallback);
        }
    }
    Value value;
    std::string expected;
    return read_value(key, text, value, expected) ? write_value(key, value) : text;  // a list
}

ScenarioError::ScenarioError(const std::string_view what) : std::runtime_error(one_line(what)) {}

std::string AxisOption::name() const {
    std::string text;
    for (const std::string& key : keys) text += (text.empty() ? "" : ",") + named_now(key);
    return text;
}

namespace {

/// A scenario, and what has no effect in it.
struct Loaded {
    Scenario scenario;
    std::vector<VainValue> vain;
    std::set<std::pair<std::string, std::string>> chosen;  ///< presets' keys and the names that hosts have of them
};

/// Which presets count at some host of a run.
void note_chosen(Loaded& loaded, const ParsedValues& values, const Lookups& in) {
    for (const Lookup& host : in.ends) {
        for (const Preset& preset : presets()) {
            const auto asked = host.asked().find(preset.key);
            if (asked == host.asked().end() || asked->second.empty()) continue;
            loaded.chosen.emplace(preset.key, write_value(*find_key(preset.key), values.at(asked->second).value));
        }
    }
}

/// A profile that is given and that no host has would be ignored.
void check_chosen(const Loaded& loaded) {
    for (const OwnProfile& own : own_profiles()) {
        if (loaded.chosen.contains({own.key, own.name})) continue;
        throw ScenarioError("--profile " + own.file + ": has no effect: no host of " + loaded.scenario.file.string() +
                            " chooses it, expected " + own.key + ": " + own.name);
    }
}

Loaded load(const std::filesystem::path& file, const std::vector<Override>& overrides,
            const std::vector<AxisOption>& axes, Purpose purpose) {
    ParsedScenario parsed = read_scenario(file, overrides, axes);
    Loaded loaded;
    Scenario& scenario = loaded.scenario;
    scenario.file = file;
    scenario.name = file.stem().string();
    scenario.repetitions = resolve_repetitions(parsed.values);
    scenario.reference_source = parsed.reference_source;
    scenario.reference = parsed.reference;
    scenario.warnings = parsed.warnings;
    std::size_t points = 1;
    constexpr std::size_t kMostPoints = 100'000;
    for (const ParsedAxis& axis : parsed.axes) {
        points *= axis.texts.size();
        if (points > kMostPoints) {
            reject(axis.where, "run.sweep",
                   "the axes have more than 100000 points together, expected fewer values or axes");
        }
    }
    VainValues vain(parsed, purpose);
    for (std::size_t i = 0; i < points; ++i) {
        SweepPoint& point = scenario.points.emplace_back();
        const ParsedValues values = values_at(parsed, i, point.values);
        for (std::size_t v = 0; v < parsed.variants.list.size(); ++v) {
            const ParsedVariant& variant = parsed.variants.list[v];
            ParsedValues own = variant.values;
            own.insert(values.begin(), values.end());
            try {
                point.configs.push_back(
                    resolve(own, parsed.network, file.string(), [&](const RunConfig& config, const Lookups& in) {
                        vain.add(v, config, in);
                        note_chosen(loaded, own, in);
                    }));
            } catch (const ScenarioError& error) {
                // The place may be another one's than what the variant sets.
                if (parsed.variants.key == kMethods || variant.values.empty()) throw;
                throw ScenarioError(std::string(error.what()) + " (in variant '" + variant.name + "')");
            }
        }
    }
    std::vector<std::pair<std::string, std::string>> labels;
    loaded.vain = vain.check(values_at(parsed, 0, labels), file.string());
    for (const VainValue& value : loaded.vain) parsed.values.erase(value.path);  // the listing is accepted, too
    scenario.variants = variants_of(parsed, scenario.points);
    scenario.composition = composition_of(parsed, scenario.variants.named());
    scenario.resolved = listing(parsed, scenario.variants.named());
    return loaded;
}

/// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 14'695'981'039'346'656'037U;
    for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 1'099'511'628'211U;
    return hash;
}

}  // namespace

Scenario load_scenario(const std::filesystem::path& file, const std::vector<Override>& overrides,
                       const std::vector<AxisOption>& axes, Purpose purpose) {
    Loaded loaded = load(file, overrides, axes, purpose);
    check_chosen(loaded);
    loaded.scenario.profiles.assign(own_profiles().begin(), own_profiles().end());
    const std::uint64_t settings = hash_of(loaded.scenario.resolved + profiles_listing(loaded.scenario));
    for (SweepPoint& point : loaded.scenario.points)
        for (RunConfig& config : point.configs) config.settings = settings;
    if (loaded.vain.empty()) return loaded.scenario;
    if (overrides.empty() && axes.empty()) throw ScenarioError(loaded.vain.front().message);
    // Options may turn off what the file has settings for; it need not be mended then.
    std::vector<VainValue> alone;
    try {
        alone = load(file, {}, {}, purpose).vain;
    } catch (const ScenarioError&) { return loaded.scenario; }  // it needs its options
    for (const VainValue& value : loaded.vain) {
        if (std::ranges::find(alone, value.path, &VainValue::path) != alone.end()) throw ScenarioError(value.message);
    }
    return loaded.scenario;
}

std::string profiles_listing(const Scenario& scenario) {
    std::string text;
    for (const OwnProfile& profile : scenario.profiles) text += profile.listing;
    return text.empty() ? text : "profiles:\n" + text;
}

RunConfig run_config(const Scenario& scenario, std::size_t point, std::size_t variant, std::uint32_t repetition) {
    RunConfig config = scenario.points.at(point).configs.at(variant);
    if (scenario.variants.named()) config.variant = scenario.variants.names.at(variant);
    config.repetition = repetition;
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        config.traffic[i].draw_pairs({config.seed, config.repetition}, i);
        config.traffic[i].draw_starts({config.seed, config.repetition}, i);
    }
    return config;
}

}  // namespace rnicsim
