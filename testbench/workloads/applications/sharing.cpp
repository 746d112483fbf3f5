// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/applications/sharing.h"

namespace rnicsim {

Sharing::Sharing(const ApplicationLayout& layout) : memories_(layout.connections.size()) {
    for (std::size_t number = 0; number < layout.connections.size(); ++number) {
        const ApplicationLayout::Connection& of = layout.connections[number];
        for (unsigned side = 0; side < 2; ++side) {
            for (const applications::Plan::Area& area : of.plan.sides.at(side).areas) {
                if (area.shared == 0) continue;
                const Memory memory{of.ends.at(side).host, area.shared};
                memories_[number].push_back(memory);
                sharers_[memory].push_back(number);
            }
        }
    }
}

void Sharing::follow(std::vector<std::size_t>& found, const std::function<bool(std::size_t)>& waits) const {
    std::vector<bool> seen(memories_.size());
    for (const std::size_t number : found) seen[number] = true;
    for (std::size_t at = 0; at < found.size(); ++at) {
        for (const Memory& memory : memories_[found[at]]) {
            for (const std::size_t other : sharers_.at(memory)) {
                if (seen[other] || !waits(other)) continue;
                seen[other] = true;
                found.push_back(other);
            }
        }
    }
}

}  // namespace rnicsim
