// SPDX-License-Identifier: Apache-2.0
// The text of a scenario or profile, of a file or a pipe in its place.
#pragma once

#include <filesystem>
#include <string>

namespace rnicsim {

/// Throws ScenarioError for what is no text: a folder, a device, an image, a pipe that nobody writes. `expected`: what
/// it should be, in the message.
std::string text_of(const std::filesystem::path& file, const std::string& expected = "a scenario file (YAML)");

}  // namespace rnicsim
