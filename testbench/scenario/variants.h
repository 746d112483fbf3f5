// SPDX-License-Identifier: Apache-2.0
// What a scenario compares at each of its points: variants of its settings, all on the same draws.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

/// What a gain can be of.
enum class Statistic : std::uint8_t { mean, least, median, p90, p99, most, failed_share, goodput, jain };

/// Columns of summary.csv.
inline constexpr std::array<std::string_view, 9> kStatisticNames{
    "mean_us", "min_us", "median_us", "p90_us", "p99_us", "max_us", "failed_share", "goodput_gbps", "jain"};

constexpr std::string_view statistic_name(Statistic of) { return kStatisticNames.at(static_cast<std::size_t>(of)); }

/// Of a rate and of how evenly it is shared. Of times, and of the share that fails, less is.
constexpr bool more_is_better(Statistic of) { return of == Statistic::goodput || of == Statistic::jain; }

/// What a gain is of: how much better `against` is than `base`, both by their number.
struct Comparison {
    std::size_t base = 0;
    std::size_t against = 1;
    Statistic of = Statistic::mean;
    bool written = false;  ///< in the scenario; else it is the default
};

struct Variants {
    /// The only one of a scenario that compares nothing. A part of file names, and in tables.
    static constexpr std::string_view kOnly = "none";

    std::string word = "variant";       ///< what they are called, and their column in tables
    std::vector<std::string> names;     ///< in the order of the scenario, at least one
    std::optional<Comparison> compare;  ///< nothing where there is one only

    /// By its number. Nothing: there is none of this name.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
        const auto found = std::ranges::find(names, name);
        if (found == names.end()) return {};
        return static_cast<std::size_t>(found - names.begin());
    }
    /// Is a name needed to say which one is meant?
    [[nodiscard]] bool named() const { return names.size() > 1 || names.front() != kOnly; }
};

}  // namespace rnicsim
