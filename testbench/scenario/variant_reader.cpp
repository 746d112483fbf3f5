// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/variant_reader.h"

#include <algorithm>
#include <vector>

namespace rnicsim {
namespace {

/// Of which of two methods a gain is does not depend on their order.
Comparison of_methods(const std::vector<ParsedVariant>& list) {
    const bool dynamic_first = list.front().name == method_name(Method::dynamic);
    return dynamic_first ? Comparison{.base = 1, .against = 0} : Comparison{};
}

ParsedVariants methods(const std::vector<std::string>& names, const std::string& where) {
    ParsedVariants variants{.key = kMethods, .where = where, .list = {}, .compare = {}};
    for (const std::string& name : names) {
        ParsedVariant& variant = variants.list.emplace_back();
        variant.name = name;
        ParsedValue& written = variant.values[kMethodKey];
        written.where = where;
        std::string none;
        read_value(*find_key(kMethodKey), name, written.value, none);
    }
    variants.compare = of_methods(variants.list);
    return variants;
}

const std::vector<std::string>& method_names() {
    static const std::vector<std::string> kNames{std::string(method_name(Method::traditional)),
                                                 std::string(method_name(Method::dynamic))};
    return kNames;
}

constexpr const char* kExample = "{plain: {}, selective: {system.rnic.rc.retransmission: selective_repeat}}";

void check_alone(const ParsedVariants& before, const char* key, const std::string& where) {
    if (before.where.empty() || before.key == key) return;
    reject(where, key, "stands beside " + before.key + ", expected one of them: methods are variants of " + kMethodKey);
}

/// It becomes a part of file names, and a heading.
void check_name(const std::string& name, const std::string& where) {
    constexpr std::size_t kLongest = 32;
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    if (name.size() > kLongest || !std::ranges::all_of(name, fits) || name == Variants::kOnly) {
        reject(where, kVariants,
               "found '" + name + "', expected a name of at most " + std::to_string(kLongest) +
                   " letters, digits, '_' and '-', and not '" + std::string(Variants::kOnly) + "'");
    }
}

/// All variants have the same hosts, repetitions, axes and draws.
void check_key(const std::string& key, const std::string& path, const std::string& where) {
    const Key* const known = find_key(key);
    const bool shared = key == "run.repetitions" || key == "simulation.seed" || key.ends_with(".count");
    if (known != nullptr && !shared) return;
    if (known != nullptr) reject(where, path, "'" + key + "' is the same for all variants");
    std::vector<std::string> all;
    for (const Key& one : all_keys()) all.emplace_back(one.path);
    reject(where, path, "'" + key + "' is no key" + suggestion(key, all));
}

}  // namespace

ParsedVariants both_methods() { return methods(method_names(), ""); }

ParsedVariants read_methods(const NodeReader& in, const ParsedVariants& before, const YAML::Node& node) {
    const std::string where = in.where(node);
    check_alone(before, kMethods, where);
    const std::vector<std::string> names = in.scalars(kMethods, node);
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (std::ranges::find(method_names(), *name) == method_names().end()) {
            reject(where, kMethods,
                   "found '" + *name + "', expected traditional or dynamic" + suggestion(*name, method_names()));
        }
        if (std::find(names.begin(), name, *name) != name)
            reject(where, kMethods, "found '" + *name + "' twice, expected each method once");
    }
    if (names.empty()) reject(where, kMethods, "empty, expected [traditional, dynamic] or one of them");
    return methods(names, where);
}

ParsedVariants read_variants(const NodeReader& in, const ParsedVariants& before, const YAML::Node& node) {
    const std::string where = in.where(node);
    check_alone(before, kVariants, where);
    if (!node.IsMap() || node.size() == 0)
        reject(where, kVariants, "found " + shown(node) + ", expected names with keys, such as " + kExample);
    ParsedVariants variants{.key = kVariants, .where = where, .list = {}, .compare = {}};
    for (const auto& pair : node) {
        ParsedVariant& variant = variants.list.emplace_back();
        variant.name = pair.first.Scalar();
        variant.where = in.where(pair.first);
        check_name(variant.name, variant.where);
        if (pair.second.IsNull()) continue;  // nothing but the scenario's own
        const std::string path = std::string(kVariants) + '.' + variant.name;
        if (!pair.second.IsMap())
            reject(in.where(pair.second), path, "found " + shown(pair.second) + ", expected keys, such as " + kExample);
        for (const auto& entry : pair.second) {
            const std::string key = in.named_now(entry.first.Scalar(), in.where(entry.first));
            check_key(key, path, in.where(entry.first));
            variant.values[key] = {in.value(*find_key(key), path + ": " + key, entry.second), in.where(entry.second)};
        }
    }
    variants.compare = {.base = 0, .against = variants.list.size() - 1};
    return variants;
}

ParsedCompare read_compare(const NodeReader& in, const YAML::Node& node) {
    constexpr const char* kExpected = "{base: NAME, against: NAME, of: mean_us}, each of them may be left out";
    if (!node.IsMap()) reject(in.where(node), kCompare, "found " + shown(node) + ", expected " + kExpected);
    ParsedCompare compare;
    compare.where = in.where(node);
    for (const auto& pair : node) {
        const YAML::Node& name = pair.first;
        const YAML::Node& value = pair.second;
        const std::string key = name.Scalar();
        const std::string path = std::string(kCompare) + '.' + key;
        const auto of = [&]() -> std::string* {
            if (key == "base") return &compare.base;
            if (key == "against") return &compare.against;
            return key == "of" ? &compare.of : nullptr;
        };
        if (of() == nullptr) reject(in.where(name), path, "unknown key" + suggestion(key, {"base", "against", "of"}));
        if (!value.IsScalar()) reject(in.where(value), path, "found " + shown(value) + ", expected a name");
        *of() = value.Scalar();
    }
    return compare;
}

namespace {

std::size_t number_of(const std::string& name, const char* member, const ParsedScenario& parsed) {
    std::vector<std::string> names;
    for (const ParsedVariant& variant : parsed.variants.list) names.push_back(variant.name);
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    std::string expected;
    for (const std::string& known : names) expected += (expected.empty() ? "" : ", ") + known;
    reject(parsed.compare.where, std::string(kCompare) + '.' + member,
           "found '" + name + "', expected one of " + parsed.variants.key + ": " + expected);
}

void settle_comparison(ParsedScenario& parsed) {
    const ParsedCompare& written = parsed.compare;
    if (written.where.empty()) return;
    if (parsed.variants.list.size() < 2)
        reject(written.where, kCompare, "has no effect: there is one of " + parsed.variants.key + " only");
    Comparison& compare = parsed.variants.compare;
    compare.written = true;
    if (!written.base.empty()) compare.base = number_of(written.base, "base", parsed);
    if (!written.against.empty()) compare.against = number_of(written.against, "against", parsed);
    if (compare.base == compare.against)
        reject(written.where, kCompare, "base and against are one, expected two of " + parsed.variants.key);
    if (written.of.empty()) return;
    const auto of = std::ranges::find(kStatisticNames, written.of);
    if (of == kStatisticNames.end()) {
        std::string expected;
        for (const std::string_view name : kStatisticNames) expected.append(expected.empty() ? "" : ", ").append(name);
        reject(written.where, std::string(kCompare) + ".of", "found '" + written.of + "', expected one of " + expected);
    }
    compare.of = static_cast<Statistic>(of - kStatisticNames.begin());
}

/// Does the scenario itself say what the method is, as a value or an axis?
bool has_own_method(const ParsedScenario& parsed) {
    const auto is_method = [](std::string_view path) { return common_path(path) == kMethodKey; };
    return std::ranges::any_of(parsed.values, [&](const auto& entry) { return is_method(entry.first); }) ||
           std::ranges::any_of(parsed.axes,
                               [&](const ParsedAxis& axis) { return std::ranges::any_of(axis.keys, is_method); });
}

}  // namespace

void settle_variants(ParsedScenario& parsed) {
    if (parsed.variants.where.empty() && has_own_method(parsed))
        parsed.variants.list = {{std::string(Variants::kOnly), {}, ""}};
    const ParsedVariants& variants = parsed.variants;
    for (const ParsedVariant& variant : variants.list) {
        for (const auto& entry : variant.values) {
            const std::string& key = entry.first;
            const ParsedValue& written = entry.second;
            const auto sets = [&key](const ParsedVariant& other) { return other.values.contains(key); };
            const auto common = parsed.values.find(key);
            if (common != parsed.values.end() && std::ranges::all_of(variants.list, sets))
                reject(common->second.where, key, "has no effect, " + variants.key + " sets it; expected one of them");
            for (const ParsedAxis& axis : parsed.axes) {
                if (std::ranges::find(axis.keys, key) == axis.keys.end()) continue;
                reject(written.where.empty() ? axis.where : written.where, key,
                       "is swept by axis '" + axis.name + "', and " + variants.key + " sets it; expected one of them");
            }
        }
    }
    settle_comparison(parsed);
}

}  // namespace rnicsim
