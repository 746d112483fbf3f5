// SPDX-License-Identifier: Apache-2.0
// A scenario file of given text in its own folder, and the message of loading it.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "testbench/scenario/scenario.h"

namespace rnicsim {

class ScenarioFile {
  public:
    explicit ScenarioFile(const std::string& text)
        : path_(std::filesystem::temp_directory_path() / ("rnicsim_scenario_" + std::to_string(::getpid()) + ".yaml")) {
        std::ofstream(path_) << text;
    }
    ScenarioFile(const ScenarioFile&) = delete;
    ScenarioFile& operator=(const ScenarioFile&) = delete;
    ~ScenarioFile() { std::filesystem::remove(path_); }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    [[nodiscard]] Scenario load(const std::vector<Override>& overrides = {},
                                const std::vector<AxisOption>& axes = {}) const {
        return load_scenario(path_, overrides, axes);
    }
    /// The one-line message of the rejection, with the file's path cut to "FILE"; empty if it is accepted.
    [[nodiscard]] std::string rejection(const std::vector<Override>& overrides = {},
                                        const std::vector<AxisOption>& axes = {}) const {
        try {
            static_cast<void>(load(overrides, axes));
        } catch (const ScenarioError& error) {
            std::string text = error.what();
            if (const auto at = text.find(path_.string()); at != std::string::npos) {
                text.replace(at, path_.string().size(), "FILE");
            }
            return text;
        }
        return "";
    }

  private:
    std::filesystem::path path_;
};

inline std::string rejection(const std::string& text, const std::vector<Override>& overrides = {}) {
    return ScenarioFile(text).rejection(overrides);
}

}  // namespace rnicsim
