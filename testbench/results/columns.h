// SPDX-License-Identifier: Apache-2.0
// The columns of summary.csv: a row of a list each, with the unit in its name.
#pragma once

#include "testbench/records/sample_kind.h"
#include "testbench/results/summary.h"
#include "testbench/scenario/scenario.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim::runner {

/// What one row of the table is about.
struct TableRow {
    const Scenario& scenario;
    const PointSummary& point;
    std::size_t variant = 0;

    [[nodiscard]] const VariantSummary& of() const { return point.variants.at(variant); }
    [[nodiscard]] const TrafficConfig& item() const {
        return scenario.points.at(point.point).configs.at(variant).traffic.at(point.item);
    }
};

/// What the scenario has that only some columns are about.
struct Scope {
    bool network = false, bridges = false;
    std::vector<const SampleKind*> kinds;  ///< of its samples, each once, in the order of work_kinds()

    [[nodiscard]] bool has(const SampleKind& kind) const;
    /// Names of the parts of all kinds, each once.
    [[nodiscard]] std::vector<std::string_view> parts() const;
};
Scope scope_of(const Scenario& scenario);

struct Column {
    std::string_view name;                     ///< with its unit
    bool (*in)(const Scope& of);               ///< has the table of such a scenario the column?
    std::string (*cell)(const TableRow& row);  ///< empty: no value
};

/// Those between the axes and the parts of the time, in their order.
std::span<const Column> columns();

}  // namespace rnicsim::runner
