// SPDX-License-Identifier: Apache-2.0
// A scenario file, read, checked and expanded into the runs that it asks for.
#pragma once

#include "model/config.h"
#include "testbench/scenario/profiles.h"
#include "testbench/scenario/variants.h"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {

/// Bad input: `what()` is one line, "file:line:column: path: what is wrong, what was expected (nearest key)". Control
/// characters are written as "\x0A".
struct ScenarioError : std::runtime_error {
    explicit ScenarioError(std::string_view what);
};

/// One point of the sweep: the axis values as written, and the systems that they give.
struct SweepPoint {
    std::vector<std::pair<std::string, std::string>> values;  ///< axis name -> value as written; empty without a sweep
    std::vector<RunConfig> configs;                           ///< by variant; run_config() sets the repetition
};

/// A number that somebody published, to be shown beside ours: a gain at one point.
struct ReferenceGain {
    std::vector<std::pair<std::string, std::string>> at;  ///< axis name -> value as written
    double gain = 0;                                      ///< 0.019 = 1.9 %
};

struct Scenario {
    std::filesystem::path file;
    std::string name;  ///< file name without extension
    Variants variants;
    std::uint32_t repetitions = 1;
    std::vector<SweepPoint> points;  ///< product of the axes, first axis slowest
    std::string reference_source;    ///< empty = no reference
    std::vector<ReferenceGain> reference;
    std::string composition;            ///< the system as composed, each end with all its values (YAML), for describe
    std::string resolved;               ///< every key with its resolved value, canonical YAML, for the manifest
    std::vector<OwnProfile> profiles;   ///< of files of the user's own; each is chosen by some host
    std::vector<std::string> warnings;  ///< each with its place, for the user
    std::string tape;                   ///< fault tape of every run, as text; empty = the probabilities decide
};

/// `--set`: dotted key and value as text, checked like the file's own.
using Override = std::pair<std::string, std::string>;

/// `--axis`: an axis in front of the scenario's own. The values are as in the file, without the outermost brackets:
/// "0 %, 1 %", or "[0 %, 1 ms], [1 %, 2 ms]" with a value for each key, or a range: "0 %..10 %:1 %".
struct AxisOption {
    std::vector<std::string> keys;
    std::string values;

    [[nodiscard]] std::string name() const;  ///< its keys, with commas between them
};

/// What a scenario is read for.
struct Purpose {
    bool programs = false;  ///< they make the traffic (rnicsim exec, serve), and may do all that hosts can
    bool tape = false;      ///< it decides about faults, in place of the probabilities
};

/// Reads, checks, applies defaults and overrides, expands the sweep. Throws ScenarioError.
Scenario load_scenario(const std::filesystem::path& file, const std::vector<Override>& overrides = {},
                       const std::vector<AxisOption>& axes = {}, Purpose purpose = {});

/// What profiles of the user's own say that the scenario has (OwnProfile::listing), below "profiles:"; empty without
/// any.
std::string profiles_listing(const Scenario& scenario);

/// The run of one point, variant (by its number) and repetition.
RunConfig run_config(const Scenario& scenario, std::size_t point, std::size_t variant, std::uint32_t repetition);

/// The reference of every key as a Markdown table, and as a JSON Schema (draft 2020-12), from the parser's own
/// declaration.
std::string scenario_reference_markdown();
std::string scenario_json_schema();
/// The JSON Schema of profiles (profile_reader.h), likewise.
std::string profile_json_schema();

}  // namespace rnicsim
