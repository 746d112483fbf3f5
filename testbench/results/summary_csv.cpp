// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/summary_csv.h"

#include "testbench/results/axis_column.h"
#include "testbench/results/columns.h"
#include "testbench/results/text.h"
#include "testbench/workloads/work_kind.h"
#include "tlm/time/clock.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace rnicsim::runner {
namespace {

constexpr int kDecimals = 6;

/// The columns between the axes and the counters. The one without a name has the scenario's word for a variant.
std::vector<std::string> fixed_columns(const Scenario& scenario, const Scope& scope) {
    std::vector<std::string> names;
    for (const Column& column : columns())
        if (column.in(scope)) names.emplace_back(column.name.empty() ? scenario.variants.word : column.name);
    for (const std::string_view part : scope.parts()) names.push_back(std::string(part) + "_us");
    names.emplace_back("repetition_means_us");
    return names;
}

std::vector<std::string> header(const Scenario& scenario, const Summary& summary, const Scope& scope) {
    std::vector<std::string> fields{"point"};
    for (const AxisColumn& column : axis_columns(scenario)) fields.push_back(column.name);
    for (std::string& name : fixed_columns(scenario, scope)) fields.push_back(std::move(name));
    fields.insert(fields.end(), summary.counter_names.begin(), summary.counter_names.end());
    return fields;
}

std::uint64_t counter(const VariantSummary& row, const std::string& name) {
    const auto found =
        std::find_if(row.counters.begin(), row.counters.end(), [&](const auto& c) { return c.first == name; });
    return found == row.counters.end() ? 0 : found->second;
}

/// The part of that name; 0 of samples that have none such.
template <typename Values>
auto part_of(const SampleKind& kind, const Values& parts, std::string_view name) {
    const auto found = std::ranges::find(kind.parts, name) - kind.parts.begin();
    return static_cast<std::size_t>(found) == kind.parts.size() ? 0 : parts.at(static_cast<std::size_t>(found));
}

/// Numbers with blanks between them; "-" for a repetition that completed no transfer.
std::string repetition_means(const VariantSummary& row) {
    std::string text;
    for (const double mean : row.repetition_means) {
        text += (text.empty() ? "" : " ") + (std::isnan(mean) ? "-" : fixed(mean, kDecimals));
    }
    return text;
}

}  // namespace

std::string summary_csv(const Scenario& scenario, const Summary& summary) {
    const Scope scope = scope_of(scenario);
    const std::vector<std::string_view> parts = scope.parts();
    const std::vector<AxisColumn> axes = axis_columns(scenario);
    std::string text = csv_line(header(scenario, summary, scope));
    for (const PointSummary& point : summary.points) {
        for (std::size_t variant = 0; variant < point.variants.size(); ++variant) {
            const TableRow row{scenario, point, variant};
            const SweepPoint& of = scenario.points.at(point.point);
            std::vector<std::string> fields{std::to_string(point.point)};
            for (std::size_t i = 0; i < of.values.size(); ++i) fields.push_back(axes[i].cell(of.values[i].second));
            for (const Column& column : columns())
                if (column.in(scope)) fields.push_back(column.cell(row));
            const SampleKind& kind = sample_kind(row.item());
            for (const std::string_view part : parts)
                fields.push_back(fixed(part_of(kind, row.of().parts, part), kDecimals));
            fields.push_back(repetition_means(row.of()));
            for (const std::string& name : summary.counter_names)
                fields.push_back(std::to_string(counter(row.of(), name)));
            text += csv_line(fields);
        }
    }
    return text;
}

void check_axis_names(const Scenario& scenario) {
    std::vector<std::string> taken = fixed_columns(scenario, scope_of(scenario));
    taken.emplace_back("point");
    for (const auto& [axis, value] : scenario.points.front().values) {
        if (std::find(taken.begin(), taken.end(), axis) == taken.end()) continue;
        throw ScenarioError(scenario.file.string() + ": run.sweep: an axis is called '" + axis +
                            "', which is a column of summary.csv; expected another name");
    }
}

std::string transfers_csv_header(const Scenario& scenario, const Scope& scope) {
    std::string text = "point," + scenario.variants.word + ",repetition,";
    text += scope.network ? "traffic,initiator,responder,id,operation,bytes,start_ps,end_ps,time_us,mode,error"
                          : "initiator,id,operation,start_cycle,end_cycle,time_us,mode,error";
    for (const std::string_view part : scope.parts())
        text += "," + std::string(part) + (scope.network ? "_ps" : "_cycles");
    return text + '\n';
}

void write_transfers_csv(const Scenario& scenario, const Scope& scope, const RunKey& key, const RunResult& result,
                         const std::function<void(std::string_view row)>& write) {
    const RunConfig& config = scenario.points.at(key.point).configs.at(key.variant);
    const std::vector<std::string_view> parts = scope.parts();
    const HostNames& hosts = config.names;
    const bool network = config.network;  // between two ends all times are whole cycles
    const auto time = [&](std::int64_t ps) { return std::to_string(network ? ps : kGmiiClock.cycle(Time{ps}).n); };
    result.samples.each([&](const Sample& of) {
        const TrafficConfig& item = config.traffic.at(of.item);
        const SampleKind& kind = sample_kind(item);
        std::vector<std::string> fields{std::to_string(key.point), scenario.variants.names.at(key.variant),
                                        std::to_string(key.repetition)};
        if (network) fields.push_back(item.name);
        fields.push_back(hosts[of.initiator]);
        if (network) fields.push_back(hosts[of.responder]);
        fields.push_back(kind.number(of));
        fields.emplace_back(kind.operation(of.operation));
        if (network) fields.push_back(std::to_string(of.bytes));
        fields.push_back(time(of.start.ps));
        fields.push_back(time(of.end.ps));
        fields.push_back(fixed(static_cast<double>(of.took().ps) * 1e-6, network ? kDecimals : 3));
        fields.emplace_back(kind.mark(of.mark));
        fields.emplace_back(kind.status(of.status));
        for (const std::string_view part : parts) fields.push_back(time(part_of(kind, of.parts, part)));
        write(csv_line(fields));
    });
}

}  // namespace rnicsim::runner
