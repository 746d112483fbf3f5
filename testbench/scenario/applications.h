// SPDX-License-Identifier: Apache-2.0
// The words of `application`, a key of an item of traffic: who asks and answers in place of what hosts of its
// personality do by themselves.
#pragma once

#include "model/traffic.h"
#include "testbench/applications/application.h"

#include <string_view>
#include <vector>

namespace rnicsim {

struct ListedApplication {
    // Implicit: a word in the list.
    ListedApplication(std::string_view of) : word(of) {}                                        // NOLINT
    ListedApplication(const applications::Application& of) : word(of.name()), protocol(&of) {}  // NOLINT
    std::string_view word;
    const applications::Application* protocol = nullptr;  ///< of those between RoCEv2 RNICs; not owned
};

/// Each has its work in testbench/workloads/work_kinds.cpp.
const std::vector<ListedApplication>& all_applications();

/// A key of the section that an application has: "run.echo.memory".
bool is_of_an_application(std::string_view path);

/// The protocol of the item's application; nullptr: it has none.
const applications::Application* protocol_of(const TrafficConfig& item);

}  // namespace rnicsim
