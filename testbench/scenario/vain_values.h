// SPDX-License-Identifier: Apache-2.0
// Values that nothing in the scenario reads: another one overrides each, or what they are of is off. Whoever writes one
// means to change something.
#pragma once

#include "testbench/scenario/lookup.h"
#include "testbench/scenario/reader.h"
#include "testbench/scenario/unread_keys.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rnicsim {

/// A value of the file that has no effect.
struct VainValue {
    std::string path;
    std::string message;  ///< where, why, and what would have one
};

/// Hears of each point and variant what it has read.
class VainValues {
  public:
    VainValues(const ParsedScenario& parsed, Purpose purpose)
        : parsed_(parsed), purpose_(purpose), read_(parsed.variants.list.size()), off_(read_.size()) {}

    void add(std::size_t variant, const RunConfig& config, const Lookups& in);
    /// After all: throws ScenarioError for those of options, axes and variants. Returns those of the file, but for
    /// values that their keys have by themselves, as in a listing, which has every key. `first`: the values of a point,
    /// with those of its axes.
    [[nodiscard]] std::vector<VainValue> check(const ParsedValues& first, const std::string& file) const;

  private:
    using Paths = std::set<std::string>;
    /// Why nothing of a part reads a path.
    struct Off {
        std::string why;
        But but = But::none;
    };
    [[nodiscard]] bool is_read(const std::string& path) const;
    [[nodiscard]] std::string why(const std::string& path, const ParsedVariant& variant, const ParsedValues& first,
                                  const std::string& file) const;

    const ParsedScenario& parsed_;
    Purpose purpose_;
    std::vector<Paths> read_;                      ///< by variant
    std::vector<std::map<std::string, Off>> off_;  ///< by variant and path: what it is of is off
};

/// What a key has that is not written: the default, or what the preset says that is chosen for all hosts. Nothing if
/// that preset is swept, or a variant's: each has its own.
std::optional<std::string> text_of_unwritten(const ParsedScenario& parsed, const Key& key);

}  // namespace rnicsim
