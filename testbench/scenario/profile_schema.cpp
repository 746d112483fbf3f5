// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of profiles: which keys a profile may say is what profile_check.h says, and their values are those of
// a scenario.
#include "testbench/scenario/key_schema.h"
#include "testbench/scenario/profile_check.h"
#include "testbench/scenario/scenario.h"
#include "testbench/scenario/schema.h"

#include <nlohmann/json.hpp>

#include <string>

namespace rnicsim {
namespace {

nlohmann::json section_schema() { return {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", false}}; }

/// A value of this schema, with its source.
nlohmann::json sourced_schema(const nlohmann::json& value) {
    nlohmann::json schema = section_schema();
    schema["required"] = {"value", "source"};
    schema["properties"] = {{"value", value}, {"source", {{"$ref", "#/$defs/source"}}}};
    return schema;
}

nlohmann::json number_schema(const char* meaning) {
    return sourced_schema(
        {{"description", meaning},
         {"anyOf",
          {{{"type", "integer"}, {"minimum", 0}}, {{"type", "string"}, {"pattern", "^(0x[0-9a-fA-F]+|[0-9]+)$"}}}}});
}

nlohmann::json product_schema() {
    nlohmann::json schema = section_schema();
    schema["description"] = "what the card says of itself to programs";
    schema["properties"] = {
        {"vendor", number_schema("vendor_id of ibv_query_device(3)")},
        {"part", number_schema("vendor_part_id of ibv_query_device(3)")},
        {"pci_vendor", number_schema("PCI vendor, at most 0xffff")},
        {"pci_device", number_schema("PCI device, at most 0xffff")},
        {"most_inline", number_schema("bytes that a program may ask to post inline")},
        {"mlx5_errors", sourced_schema({{"description", "vendor_err has mlx5's numbers"}, {"type", "boolean"}})}};
    return schema;
}

/// Of all profiles of this preset: keys that only profiles of another one decide.
nlohmann::json rule_of(const Preset& preset) {
    nlohmann::json others = nlohmann::json::array();
    for (const Key& key : all_keys()) {
        bool of_some = false, of_another = false;
        for (const Preset& one : presets()) {
            if (may_decide(one, key)) of_some = true;
            if (one.key != preset.key && one.decides(key.path)) of_another = true;
        }
        if (of_some && (of_another || !may_decide(preset, key)))
            others.push_back(key.path.substr(key.path.find('.') + 1));
    }
    nlohmann::json then;
    then["properties"]["values"] = {{"propertyNames", {{"not", {{"enum", others}}}}}};
    if (preset.key != presets().front().key) then["properties"]["product"] = false;
    nlohmann::json rule;
    rule["if"]["properties"]["key"] = {{"const", preset.key}};
    rule["then"] = then;
    return rule;
}

}  // namespace

std::string profile_json_schema() {
    nlohmann::json values = section_schema();
    values["description"] = "keys of hosts, without `system.`, each with a value and where it comes from";
    nlohmann::json keys = nlohmann::json::array(), rules = nlohmann::json::array();
    for (const Preset& preset : presets()) {
        keys.push_back(preset.key);
        rules.push_back(rule_of(preset));
        for (const Key& key : all_keys()) {
            if (!may_decide(preset, key)) continue;
            values["properties"][key.path.substr(key.path.find('.') + 1)] = sourced_schema(key_schema(key));
        }
    }
    nlohmann::json schema = section_schema();
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
    schema["title"] = "rnicsim profile";
    schema["required"] = {"key", "name", "values"};
    schema["properties"] = {
        {"key", {{"description", "the key that chooses the profile"}, {"enum", keys}}},
        {"name", {{"description", "the word that chooses it"}, {"type", "string"}, {"pattern", kProfileName}}},
        {"product", product_schema()},
        {"values", values}};
    schema["allOf"] = rules;
    schema["$defs"]["source"] = {{"description", "where the value comes from"}, {"type", "string"}, {"pattern", "\\S"}};
    return schema.dump(2) + '\n';
}

}  // namespace rnicsim
