// SPDX-License-Identifier: Apache-2.0
// The kinds of work that an item of traffic can be, each with what it is, its keys, and a scenario that has it.
#pragma once

#include "testbench/applications/application.h"

#include <string>
#include <string_view>
#include <vector>

namespace rnicsim::runner {

struct WorkloadGuide {
    std::string name;
    std::string_view group;         ///< "verbs", "scheme"
    std::string about;              ///< one line
    std::vector<std::string> keys;  ///< paths; of an application's section its own, too
    std::string scenario;           ///< YAML, small, which runs as it is
    const applications::Application* application = nullptr;
};

/// In the order of the list.
std::vector<WorkloadGuide> workload_guides();
/// Throws ScenarioError if there is none of this name.
WorkloadGuide workload_guide(std::string_view name);
/// The scenario of an application's guide, as a file that lives as long as this does.
class ScenarioOfText {
  public:
    /// Throws std::system_error.
    explicit ScenarioOfText(std::string_view text);
    ScenarioOfText(const ScenarioOfText&) = delete;
    ScenarioOfText& operator=(const ScenarioOfText&) = delete;
    ~ScenarioOfText();
    [[nodiscard]] std::string path() const;

  private:
    int file_;
};

}  // namespace rnicsim::runner
