// SPDX-License-Identifier: Apache-2.0
// The reference of all keys, made from their declaration: Markdown for people, JSON Schema for editors.
#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "testbench/scenario/key_schema.h"
#include "testbench/scenario/range.h"
#include "testbench/scenario/scenario.h"
#include "testbench/scenario/schema.h"

namespace rnicsim {
namespace {

/// The values of an axis: a list, whose items may be rows with a value for each key, or a range.
nlohmann::json values_schema() {
    const nlohmann::json list = {
        {"description", "values of all keys, or rows with a value for each key: [[0 %, 1 ms], [1 %, 2 ms]]"},
        {"type", "array"},
        {"minItems", 1},
        {"items", {{"type", {"string", "number", "boolean", "array"}}}}};
    nlohmann::json range = {{"description", "from, from + step, ... up to and including to, in the unit of from"},
                            {"type", "object"},
                            {"additionalProperties", false},
                            {"required", kRangeMembers}};
    for (const char* const member : kRangeMembers) range["properties"][member] = {{"type", {"string", "integer"}}};
    return {{"oneOf", {list, range}}};
}

/// Where items of one kind say what all of them may say in common: the section of all, and that of one item.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kLevels{{{"system", "system.hosts.*"},
                                                                                {"system.link", "system.links.*"},
                                                                                {"system.bridge", "system.bridges.*"},
                                                                                {"system.switch", "system.switches.*"},
                                                                                {"run", "run.traffic.*"},
                                                                                {"simulation", "simulation.a"}}};

/// May this key or section of all items stand at one of them, too?
bool stands_at_items(const std::string& common) {
    const std::size_t dot = common.rfind('.');
    if (dot == std::string::npos) return false;
    const auto level = std::ranges::find(kLevels, std::string_view(common).substr(0, dot),
                                         &std::pair<std::string_view, std::string_view>::first);
    if (level == kLevels.end()) return false;
    const std::vector<std::string> members = members_of(level->second);
    return std::ranges::find(members, common.substr(dot + 1)) != members.end();
}

/// The sections of a scenario. What may stand at several items is defined once, under its path for all items
/// ("$defs"), and its places refer to that.
class Sections {
  public:
    [[nodiscard]] nlohmann::json section(const std::string& path) { return section(path, false); }
    /// An item may have nothing of its own.
    [[nodiscard]] nlohmann::json item(const std::string& path) {
        nlohmann::json schema = section(path);
        schema["type"] = {"object", "null"};
        return schema;
    }
    /// Items of a list: their keys, and what they join.
    [[nodiscard]] nlohmann::json list(const std::string& path, const std::vector<std::string>& names) {
        nlohmann::json item = section(path);
        for (const std::string& name : names) item["properties"][name] = {{"type", "string"}};
        if (names.front() == "between") {
            item["properties"]["between"] = {
                {"type", "array"}, {"minItems", 2}, {"maxItems", 2}, {"items", {{"type", "string"}}}};
        }
        return {{"type", "array"}, {"minItems", 1}, {"items", item}};
    }
    [[nodiscard]] const nlohmann::json& definitions() const { return definitions_; }

  private:
    /// `defined`: is this a part of a definition, which holds all that is below it?
    [[nodiscard]] nlohmann::json section(const std::string& path, bool defined) {
        nlohmann::json schema = {{"type", "object"}, {"additionalProperties", false}};
        for (const std::string& name : members_of(path)) {
            const std::string below = path.empty() ? name : path + '.' + name;
            if (find_key(below) == nullptr && !is_section(below)) continue;
            schema["properties"][name] = member(below, defined);
        }
        return schema;
    }
    [[nodiscard]] nlohmann::json member(const std::string& path, bool defined) {
        const std::string common = common_path(path);
        const bool defines = !defined && stands_at_items(common);
        const Key* const key = find_key(path);
        nlohmann::json schema = key != nullptr ? key_schema(*key) : section(path, defined || defines);
        if (!defines) return schema;
        const auto known = definitions_.find(common);
        if (known == definitions_.end()) {
            definitions_[common] = std::move(schema);
        } else if (*known != schema) {
            throw std::logic_error(path + " has other keys than " + common);
        }
        return {{"$ref", "#/$defs/" + common}};
    }

    nlohmann::json definitions_;
};

}  // namespace

std::string scenario_reference_markdown() {
    std::ostringstream out;
    std::string section;
    for (const Key& key : all_keys()) {
        const std::string path(key.path);
        const std::string here = path.substr(0, path.rfind('.'));
        if (here != section) {
            section = here;
            out << "\n### `" << section << "`\n\n| key | default | range | meaning | source of the default |\n"
                << "|---|---|---|---|---|\n";
        }
        out << "| `" << path.substr(path.rfind('.') + 1) << "` | " << key.fallback << " | " << range_text(key) << " | "
            << key.meaning << " | " << key.source << " |\n";
    }
    return out.str();
}

std::string scenario_json_schema() {
    Sections sections;
    nlohmann::json schema = sections.section("");
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
    schema["title"] = "rnicsim scenario";
    nlohmann::json& system = schema["properties"]["system"]["properties"];
    system["hosts"] = {{"type", "object"},
                       {"minProperties", 1},
                       {"description", "a network: its hosts, or groups of them with a count"},
                       {"additionalProperties", sections.item("system.hosts.*")}};
    system["switches"] = {{"type", "object"}, {"additionalProperties", sections.item("system.switches.*")}};
    system["links"] = sections.list("system.links.*", {"between", "name", "of"});
    system["bridges"] = sections.list("system.bridges.*", {"between", "name"});
    nlohmann::json& run = schema["properties"]["run"]["properties"];
    run["traffic"] = sections.list("run.traffic.*", {"name", "from", "to"});
    const nlohmann::json names = {{"type", "array"}, {"minItems", 1}, {"items", {{"type", "string"}}}};
    run["methods"] = {{"type", "array"}, {"minItems", 1}, {"items", {{"enum", {"traditional", "dynamic"}}}}};
    run["variants"] = {{"type", "object"},
                       {"minProperties", 1},
                       {"description", "what is compared: names, each with the keys that it sets"},
                       {"additionalProperties", {{"type", {"object", "null"}}}}};
    nlohmann::json statistics = nlohmann::json::array();
    for (const std::string_view name : kStatisticNames) statistics.push_back(name);
    run["compare"] = {
        {"type", "object"},
        {"description", "what a gain is of: by default of the first of the variants and the last, mean_us"},
        {"properties",
         {{"base", {{"type", "string"}}}, {"against", {{"type", "string"}}}, {"of", {{"enum", statistics}}}}},
        {"additionalProperties", false}};
    run["sweep"] = {{"type", "array"},
                    {"minItems", 1},
                    {"items",
                     {{"type", "object"},
                      {"additionalProperties", false},
                      {"required", {"keys", "values"}},
                      {"properties", {{"name", {{"type", "string"}}}, {"keys", names}, {"values", values_schema()}}}}}};
    run["reference"] = {{"type", "object"},
                        {"additionalProperties", false},
                        {"required", {"source"}},
                        {"properties", {{"source", {{"type", "string"}}}, {"gains", {{"type", "array"}}}}}};
    schema["$defs"] = sections.definitions();
    return schema.dump(2) + '\n';
}

}  // namespace rnicsim
