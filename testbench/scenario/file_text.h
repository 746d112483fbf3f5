// SPDX-License-Identifier: Apache-2.0
// The text of a scenario file, or of a pipe in its place.
#pragma once

#include <filesystem>
#include <string>

namespace rnicsim {

/// Throws ScenarioError for what is no text: a folder, a device, an image, a pipe that nobody writes.
std::string text_of(const std::filesystem::path& file);

}  // namespace rnicsim
