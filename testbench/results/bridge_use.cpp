// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/bridge_use.h"

#include "testbench/scenario/applications.h"

#include <algorithm>
#include <array>
#include <string>

namespace rnicsim::runner {
namespace {

bool goes_over(const TrafficConfig& item, const ntb::Config& bridge) {
    const applications::Application* const of = protocol_of(item);
    if (of == nullptr || !of->plan(item).bridge) return false;
    return std::ranges::any_of(item.from, [&](unsigned from) {
        return std::ranges::any_of(item.responders(from), [&](unsigned to) {
            return bridge.between == std::array{from, to} || bridge.between == std::array{to, from};
        });
    });
}

}  // namespace

std::optional<BridgeUse> bridge_use(const TableRow& row) {
    const RunConfig& config = row.scenario.points.at(row.point.point).configs.at(row.variant);
    std::optional<BridgeUse> use;
    for (const ntb::Config& bridge : config.bridges) {
        if (!goes_over(row.item(), bridge)) continue;
        const auto users =
            std::ranges::count_if(config.traffic, [&](const TrafficConfig& item) { return goes_over(item, bridge); });
        if (users != 1) return {};
        if (!use) use.emplace();
        for (const auto& [name, value] : row.of().counters) {
            if (!name.starts_with(bridge.name + '.')) continue;
            if (name.ends_with("_partial_writes")) {
                use->partial += value;
            } else if (name.ends_with("_writes")) {
                use->writes += value;
            } else if (name.ends_with("_reads")) {
                use->reads += value;
            } else if (name.ends_with("_credit_stalls")) {
                use->stalls += value;
            } else if (name.ends_with("_unsupported")) {
                use->unsupported += value;
            }
        }
    }
    return use;
}

}  // namespace rnicsim::runner
