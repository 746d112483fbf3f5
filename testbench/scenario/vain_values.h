// Values of axes, variants and --set that nothing in the scenario reads. Whoever gives one means to change something;
// one of the file itself may be for all and still be overridden everywhere, as in a listing, which has every key.
#pragma once

#include "testbench/scenario/lookup.h"
#include "testbench/scenario/reader.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace rnicsim {

/// Hears of each point and variant what it has read.
class VainValues {
  public:
    explicit VainValues(const ParsedScenario& parsed) : parsed_(parsed), read_(parsed.variants.list.size()) {}

    void add(std::size_t variant, const RunConfig& config, const Lookups& in);
    /// After all. Throws ScenarioError: where, who overrides it, and which path has an effect. `first`: the values of
    /// a point, with those of its axes.
    void check(const ParsedValues& first, const std::string& file) const;

  private:
    const ParsedScenario& parsed_;
    std::vector<std::set<std::string>> read_;  ///< by variant: paths
};

}  // namespace rnicsim
