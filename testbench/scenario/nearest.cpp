// SPDX-License-Identifier: Apache-2.0
// What somebody may have meant.
#include "testbench/scenario/schema.h"

#include <algorithm>
#include <cstddef>

namespace rnicsim {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view wrong, std::span<const std::string> candidates) {
    std::string best;
    std::size_t best_distance = wrong.size() / 2 + 2;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(wrong, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

}  // namespace rnicsim
