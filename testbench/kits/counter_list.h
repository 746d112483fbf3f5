// SPDX-License-Identifier: Apache-2.0
// Counters by name, in the order in which they are first counted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rnicsim {

/// Of several of one name the sum, of high-water marks the highest: so a group of hosts has one counter of each kind.
class CounterList {
  public:
    using Counters = std::vector<std::pair<std::string, std::uint64_t>>;

    /// Of all names that are added from now on.
    void begin(std::string prefix) { prefix_ = std::move(prefix); }
    void add(const std::string& name, std::uint64_t value) {
        const auto [place, fresh] = places_.try_emplace(prefix_ + name, counters_.size());
        if (fresh) {
            counters_.emplace_back(place->first, value);
            return;
        }
        std::uint64_t& all = counters_[place->second].second;
        all = name.ends_with("high_water") ? std::max(all, value) : all + value;
    }
    [[nodiscard]] Counters take() { return std::move(counters_); }

  private:
    std::string prefix_;
    Counters counters_;
    std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace rnicsim
