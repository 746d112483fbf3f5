// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/shard.h"

#include "testbench/scenario/scenario.h"

#include <charconv>
#include <optional>

namespace rnicsim::runner {
namespace {

constexpr std::size_t kMostShards = 1'000'000;

std::optional<std::size_t> number(const std::string_view text) {
    std::size_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || value < 1 || value > kMostShards) return std::nullopt;
    return value;
}

}  // namespace

std::string Shard::label() const { return std::to_string(index) + '/' + std::to_string(count); }

std::string Shard::file_name() const { return std::to_string(index) + "_of_" + std::to_string(count); }

Shard parse_shard(const std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash != std::string_view::npos) {
        const auto index = number(text.substr(0, slash));
        const auto count = number(text.substr(slash + 1));
        if (index && count && *index <= *count) return {*index, *count};
    }
    throw ScenarioError("--shard " + std::string(text) +
                        ": expected I/N with 1 <= I <= N <= " + std::to_string(kMostShards) + ", e.g. --shard 1/4");
}

Shard shard_of(const std::size_t run, const std::size_t count) { return {run % count + 1, count}; }

}  // namespace rnicsim::runner
