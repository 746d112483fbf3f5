// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/key_schema.h"

#include "testbench/scenario/personalities/drp/block_keys.h"
#include "testbench/scenario/profiles.h"
#include "testbench/scenario/schema.h"

#include <algorithm>
#include <string_view>

namespace rnicsim {

std::string range_text(const Key& key) {
    if (key.kind == Kind::boolean) return "true, false";
    if (key.kind == Kind::probability) return "0 % to 100 %";
    if (is_block_key(key.path) && key.path != kRnicBlocks)
        return "model, rtl, a block of one's own";  // the same for every build
    if (!key.choices.empty()) {
        std::string text;
        for (const std::string_view word : key.choices) text += (text.empty() ? "" : ", ") + std::string(word);
        return text + (key.kind == Kind::bytes ? " B" : "");
    }
    if (key.path == "simulation.seed") return "0 to 2^63 - 1";
    return write_limit(key, key.least) + " to " + write_limit(key, key.most) +
           (key.word.empty() ? "" : ", " + std::string(key.word));
}

nlohmann::json key_schema(const Key& key) {
    nlohmann::json schema;
    schema["description"] = std::string(key.meaning) + " (" + range_text(key) + ")";
    const std::string number = "^[0-9]+(\\.[0-9]+)? *";
    switch (key.kind) {
        case Kind::time: schema["type"] = "string", schema["pattern"] = number + "(s|ms|us|ns)$"; break;
        case Kind::picoseconds: schema["type"] = "string", schema["pattern"] = number + "(s|ms|us|ns|ps)$"; break;
        case Kind::bytes: schema["type"] = "string", schema["pattern"] = number + "(B|KiB|MiB)$"; break;
        case Kind::rate: schema["type"] = "string", schema["pattern"] = number + "(KB/s|MB/s|GB/s)$"; break;
        case Kind::bit_rate: schema["type"] = "string", schema["pattern"] = number + "(kbps|Mbps|Gbps)$"; break;
        case Kind::probability: schema["type"] = "string", schema["pattern"] = number + "%$"; break;
        case Kind::boolean: schema["type"] = "boolean"; break;
        case Kind::integer:
            schema["type"] = "integer";
            if (key.choices.empty()) {
                schema["minimum"] = key.least;
                schema["maximum"] = key.most;
            } else {
                for (const std::string_view word : key.choices) schema["enum"].push_back(std::stoll(std::string(word)));
            }
            break;
        case Kind::choice:
            if (is_block_key(key.path) && key.path != kRnicBlocks) {
                schema["type"] = "string";
                break;
            }
            schema["enum"] = key.choices;
            if (preset_of(key.path) != nullptr) {  // or a name of one's own
                schema["anyOf"] = {{{"enum", schema["enum"]}}, {{"type", "string"}, {"pattern", kProfileName}}};
                schema.erase("enum");
            }
            break;
        case Kind::integer_list:
            schema["type"] = "array";
            schema["items"] = {{"type", "integer"}, {"minimum", key.least}, {"maximum", key.most}};
            break;
        case Kind::bytes_list:
            schema["type"] = "array";
            schema["items"] = {{"type", "string"}, {"pattern", number + "(B|KiB|MiB)$"}};
            break;
    }
    if (!key.word.empty()) schema["pattern"] = std::string(schema["pattern"]) + "|^" + std::string(key.word) + '$';
    if (!is_list(key.kind)) schema["default"] = std::string(key.fallback);
    if (key.kind == Kind::boolean) schema["default"] = key.fallback == "true";
    if (key.kind == Kind::integer) schema["default"] = std::stoll(std::string(key.fallback));
    return schema;
}

}  // namespace rnicsim
