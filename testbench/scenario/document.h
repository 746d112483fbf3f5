// SPDX-License-Identifier: Apache-2.0
// From text to the one YAML document that it holds.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "testbench/scenario/node_reader.h"

namespace rnicsim {

/// Null if the text holds nothing. Throws YAML::Exception if it is not YAML, ScenarioError if a second document begins
/// in it or a scalar is not UTF-8.
YAML::Node read_document(const NodeReader& in, const std::string& text);

}  // namespace rnicsim
