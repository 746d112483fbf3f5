// SPDX-License-Identifier: Apache-2.0
// Options of one kind: a number within bounds, one of a few words.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace rnicsim::runner {

inline void number(CLI::App& group, const char* name, std::uint32_t& value, std::uint32_t least, std::uint32_t most,
                   const char* meaning) {
    group.add_option(name, value, meaning)->type_name("N")->check(CLI::Range(least, most))->capture_default_str();
}

template <typename T>
void word(CLI::App& group, const char* name, T& value, const std::map<std::string, T>& words, const char* meaning) {
    const auto set = [&value, words](const std::string& text) { value = words.at(text); };
    group.add_option_function<std::string>(name, set, meaning)->check(CLI::IsMember(words));
}

}  // namespace rnicsim::runner
