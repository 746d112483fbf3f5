// A scenario file as it was written: each value is checked by itself and knows its place in the file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "testbench/scenario/network_plan.h"
#include "testbench/scenario/scenario.h"
#include "testbench/scenario/schema.h"

namespace rnicsim {

/// A value and where it was written: "file:line:column", or "--set".
struct ParsedValue {
    Value value;
    std::string where;
};

/// By path as written, so `system.a.rnic.pcie.lanes` stands beside `system.rnic.pcie.lanes`.
using ParsedValues = std::map<std::string, ParsedValue>;

struct ParsedAxis {
    std::string name;
    std::vector<std::string> keys;
    std::vector<std::string> texts;          ///< by position: the value as written; of a row, all of them
    std::vector<std::vector<Value>> values;  ///< by position, then key
    std::string where;
};

struct ParsedScenario {
    ParsedValues values;
    NetworkPlan network;
    std::vector<Method> methods{Method::traditional, Method::dynamic};
    std::string methods_at;  ///< where they stand; empty: they are the default
    std::vector<ParsedAxis> axes;
    std::string reference_source;
    std::vector<ReferenceGain> reference;
    std::vector<std::string> reference_where;  ///< of each gain
};

/// Throws ScenarioError.
ParsedScenario read_scenario(const std::filesystem::path& file, const std::vector<Override>& overrides,
                             const std::vector<AxisOption>& axes = {});

/// ASCII's control characters: no name and no value has any.
constexpr bool is_control(const char c) { return (c >= 0 && c < ' ') || c == 0x7F; }

[[noreturn]] void reject(const std::string& where, const std::string& path, const std::string& what);

}  // namespace rnicsim
