// SPDX-License-Identifier: Apache-2.0
// What a scenario compares: run.variants, or run.methods, which are variants of one key; and run.compare.
#pragma once

#include "testbench/scenario/node_reader.h"
#include "testbench/scenario/reader.h"

#include <string>

namespace rnicsim {

inline constexpr const char* kMethods = "run.methods";
inline constexpr const char* kVariants = "run.variants";
inline constexpr const char* kCompare = "run.compare";
inline constexpr const char* kMethodKey = "system.rnic.drp.method";

/// Of a scenario that says nothing.
ParsedVariants both_methods();

/// One of the two, or run.compare. `before`: what has been read so far. Throws ScenarioError.
ParsedVariants read_methods(const NodeReader& in, const ParsedVariants& before, const YAML::Node& node);
ParsedVariants read_variants(const NodeReader& in, const ParsedVariants& before, const YAML::Node& node);
ParsedCompare read_compare(const NodeReader& in, const YAML::Node& node);

/// Finds what run.compare names. Throws ScenarioError if that, or a key of a variant, cannot have an effect, or if a
/// key has one beside the variant's. After all of the scenario and its options has been read.
void settle_variants(ParsedScenario& parsed);

}  // namespace rnicsim
