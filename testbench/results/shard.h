// SPDX-License-Identifier: Apache-2.0
// A share of a sweep: run k of all_runs() belongs to shard k mod n, counted from 1 for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rnicsim::runner {

struct Shard {
    std::size_t index = 1;  ///< 1 .. count
    std::size_t count = 1;

    bool has(std::size_t run) const { return run % count == index - 1; }
    /// How many of so many runs are its own.
    std::size_t share(std::size_t runs) const { return (runs + count - index) / count; }

    std::string label() const;      ///< "2/4"
    std::string file_name() const;  ///< "2_of_4"
    bool operator==(const Shard&) const = default;
};

/// "2/4" of --shard. Throws ScenarioError.
Shard parse_shard(std::string_view text);

/// The shard of n to which a run belongs.
Shard shard_of(std::size_t run, std::size_t count);

}  // namespace rnicsim::runner
