// SPDX-License-Identifier: Apache-2.0
// Rules that a scenario chooses by name. Each is a small interface with a list of its implementations; to add one,
// write a class and put it on the list (CONTRIBUTING.md, "A policy of your own").
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

class Policy {
  public:
    virtual ~Policy() = default;
    /// As written in a scenario.
    [[nodiscard]] virtual std::string_view name() const = 0;
};

/// Throws std::invalid_argument if there is none of this name.
template <class Kind, std::size_t N>
const Kind& policy_named(const std::array<const Kind*, N>& all, std::string_view name) {
    for (const Kind* const policy : all) {
        if (policy->name() == name) return *policy;
    }
    throw std::invalid_argument("no such policy: " + std::string(name));
}

template <class Kind, std::size_t N>
std::vector<std::string_view> names_of(const std::array<const Kind*, N>& all) {
    std::vector<std::string_view> names;
    names.reserve(N);
    for (const Kind* const policy : all) names.push_back(policy->name());
    return names;
}

}  // namespace rnicsim
