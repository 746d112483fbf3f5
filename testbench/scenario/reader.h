// SPDX-License-Identifier: Apache-2.0
// A scenario file as it was written: each value is checked by itself and knows its place in the file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "testbench/scenario/network_plan.h"
#include "testbench/scenario/scenario.h"
#include "testbench/scenario/schema.h"
#include "testbench/scenario/variants.h"

namespace rnicsim {

/// A value and where it was written: "file:line:column", or "--set". Empty: run.methods says it of all hosts, and where
/// there is none with a DRP RNIC it has no effect.
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

struct ParsedVariant {
    std::string name;
    ParsedValues values;  ///< in place of the scenario's
    std::string where;    ///< its own place in the scenario; empty: it has none
};

/// run.variants, or run.methods, which are variants of one key.
struct ParsedVariants {
    std::string key;    ///< which of the two
    std::string where;  ///< empty: neither is written, and these are what DRP RNICs have by default
    std::vector<ParsedVariant> list;
    Comparison compare;  ///< of what, unless run.compare says it
};

/// run.compare; empty: the first of the variants, or the last.
struct ParsedCompare {
    std::string base, against, of;
    std::string where;  ///< empty: it is not written
};

struct ParsedScenario {
    ParsedValues values;
    NetworkPlan network;
    ParsedVariants variants;
    ParsedCompare compare;
    std::vector<ParsedAxis> axes;
    std::string reference_source;
    std::vector<ReferenceGain> reference;
    std::vector<std::string> reference_where;  ///< of each gain
    std::vector<std::string> warnings;         ///< of old names, each with its place
};

/// Throws ScenarioError.
ParsedScenario read_scenario(const std::filesystem::path& file, const std::vector<Override>& overrides,
                             const std::vector<AxisOption>& axes = {});

/// ASCII's control characters: no name and no value has any.
constexpr bool is_control(const char c) { return (c >= 0 && c < ' ') || c == 0x7F; }

[[noreturn]] void reject(const std::string& where, const std::string& path, const std::string& what);

}  // namespace rnicsim
