// SPDX-License-Identifier: Apache-2.0
// Indented text (canonical YAML) drawn as a tree, for `rnicsim describe`.
#pragma once

#include <string>
#include <string_view>

namespace rnicsim::runner {

/// Every line of `yaml` becomes a node below the nearest line above that is indented less.
std::string draw_tree(std::string_view root, std::string_view yaml);

}  // namespace rnicsim::runner
