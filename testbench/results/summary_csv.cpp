// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/summary_csv.h"

#include "model/rnic/rc/end/end_config.h"
#include "testbench/results/axis_column.h"
#include "testbench/results/text.h"
#include "tlm/time/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace rnicsim::runner {
namespace {

constexpr int kDecimals = 6;
constexpr int kExactDecimals = 3;  // a cycle is 0.008 us

bool is_network(const Scenario& scenario) {
    return !scenario.points.empty() && scenario.points.front().configs.front().network;
}

/// How many of the parts the tables have: those of messages only where there are RoCEv2 RNICs.
std::size_t parts_of(const Scenario& scenario) {
    const auto has_messages = [](const SweepPoint& point) {
        return std::ranges::any_of(point.configs, [](const RunConfig& config) { return has_verbs(config); });
    };
    return std::ranges::any_of(scenario.points, has_messages) ? kParts : kTransferParts;
}

/// The columns between the axes and the counters.
std::vector<std::string> fixed_columns(const Scenario& scenario) {
    const bool network = is_network(scenario);
    std::vector<std::string> names{scenario.variants.word,
                                   "repetitions",
                                   "transfers_completed",
                                   "transfers_failed",
                                   "mean_us",
                                   "sd_us",
                                   "ci95_us",
                                   "min_us",
                                   "median_us"};
    if (network) {
        names.insert(names.begin(), "traffic");
        names.insert(names.end(), {"p90_us", "p99_us"});
    }
    names.emplace_back("max_us");
    if (network) names.insert(names.end(), {"failed_share", "goodput_gbps", "jain"});
    names.insert(names.end(), {"indirect_share", "gain", "gain_ci95", "theory_us", "theory_setup_us"});
    for (const std::string_view part : std::span(kPartNames).first(parts_of(scenario)))
        names.push_back(std::string(part) + "_us");
    names.emplace_back("repetition_means_us");
    return names;
}

std::vector<std::string> header(const Scenario& scenario, const Summary& summary) {
    std::vector<std::string> fields{"point"};
    for (const AxisColumn& column : axis_columns(scenario)) fields.push_back(column.name);
    for (std::string& name : fixed_columns(scenario)) fields.push_back(std::move(name));
    fields.insert(fields.end(), summary.counter_names.begin(), summary.counter_names.end());
    return fields;
}

std::uint64_t counter(const VariantSummary& row, const std::string& name) {
    const auto found =
        std::find_if(row.counters.begin(), row.counters.end(), [&](const auto& c) { return c.first == name; });
    return found == row.counters.end() ? 0 : found->second;
}

std::string share(const std::uint64_t part, const std::uint64_t whole) {
    return whole == 0 ? std::string() : fixed(static_cast<double>(part) / static_cast<double>(whole), kDecimals);
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
    const bool network = is_network(scenario);
    const std::size_t parts = parts_of(scenario);
    const std::vector<AxisColumn> axes = axis_columns(scenario);
    std::string text = csv_line(header(scenario, summary));
    for (const PointSummary& point : summary.points) {
        for (std::size_t variant = 0; variant < point.variants.size(); ++variant) {
            const VariantSummary& row = point.variants[variant];
            const SweepPoint& of = scenario.points.at(point.point);
            const TrafficConfig& item = of.configs.at(variant).traffic.at(point.item);
            std::vector<std::string> fields{std::to_string(point.point)};
            for (std::size_t i = 0; i < of.values.size(); ++i) fields.push_back(axes[i].cell(of.values[i].second));
            if (network) fields.push_back(item.name);
            fields.push_back(scenario.variants.names.at(variant));
            fields.push_back(std::to_string(row.repetitions));
            fields.push_back(std::to_string(row.completed));
            fields.push_back(std::to_string(row.failed));
            fields.push_back(fixed(row.time.mean, kDecimals));
            fields.push_back(fixed(row.time.sd, kDecimals));
            fields.push_back(fixed(row.time.half_width, kDecimals));
            const int exact = item.workload == Workload::frames ? kDecimals : kExactDecimals;  // ps, or cycles
            fields.push_back(fixed(row.min, exact));
            fields.push_back(fixed(row.median, exact));
            if (network) {
                fields.push_back(fixed(row.p90, exact));
                fields.push_back(fixed(row.p99, exact));
            }
            fields.push_back(fixed(row.max, exact));
            if (network) {
                fields.push_back(share(row.failed, row.completed + row.failed));
                fields.push_back(fixed(row.goodput, kDecimals));
                fields.push_back(fixed(row.jain, kDecimals));
            }
            fields.push_back(share(row.indirect, row.completed + row.failed));
            const std::optional<Comparison>& compare = scenario.variants.compare;
            const bool has_gain = compare && variant == compare->against && point.gain.n > 0;
            fields.push_back(has_gain ? fixed(point.gain.mean, kDecimals) : "");
            fields.push_back(has_gain ? fixed(point.gain.half_width, kDecimals) : "");
            fields.push_back(fixed(row.theory, kDecimals));
            fields.push_back(fixed(row.theory_set_up, kDecimals));
            for (const double part : std::span(row.parts).first(parts)) fields.push_back(fixed(part, kDecimals));
            fields.push_back(repetition_means(row));
            for (const std::string& name : summary.counter_names) fields.push_back(std::to_string(counter(row, name)));
            text += csv_line(fields);
        }
    }
    return text;
}

void check_axis_names(const Scenario& scenario) {
    std::vector<std::string> taken = fixed_columns(scenario);
    taken.emplace_back("point");
    for (const auto& [axis, value] : scenario.points.front().values) {
        if (std::find(taken.begin(), taken.end(), axis) == taken.end()) continue;
        throw ScenarioError(scenario.file.string() + ": run.sweep: an axis is called '" + axis +
                            "', which is a column of summary.csv; expected another name");
    }
}

std::string transfers_csv_header(const Scenario& scenario) {
    std::string text = "point," + scenario.variants.word + ",repetition,";
    text += is_network(scenario) ? "traffic,initiator,responder,id,operation,bytes,start_ps,end_ps,time_us,mode,error"
                                 : "initiator,id,operation,start_cycle,end_cycle,time_us,mode,error";
    const std::string unit = is_network(scenario) ? "_ps" : "_cycles";
    for (const std::string_view part : std::span(kPartNames).first(parts_of(scenario)))
        text += "," + std::string(part) + unit;
    return text + '\n';
}

void write_transfers_csv(const Scenario& scenario, const RunKey& key, const RunResult& result,
                         const std::function<void(std::string_view row)>& write) {
    const RunConfig& config = scenario.points.at(key.point).configs.at(key.variant);
    const std::string& variant = scenario.variants.names.at(key.variant);
    const HostNames& hosts = config.names;
    const auto time = [&](Cycle cycles) {
        return std::to_string(config.network ? kGmiiClock.time(cycles).ps : cycles.n);
    };
    const std::size_t parts = parts_of(scenario);
    const auto add_parts = [&](const Parts& of, std::vector<std::string>& fields) {
        for (const std::int64_t ps : std::span(of).first(parts)) fields.push_back(std::to_string(ps));
    };
    result.transfers.each([&](const TransferRecord& t) {
        std::vector<std::string> fields{std::to_string(key.point), variant, std::to_string(key.repetition)};
        if (config.network) fields.push_back(config.traffic.at(t.item).name);
        fields.push_back(hosts[t.initiator]);
        if (config.network) fields.push_back(hosts[t.responder]);
        fields.push_back(std::to_string(t.id));
        fields.emplace_back(operation_name(t.operation));
        if (config.network) fields.push_back(std::to_string(t.bytes));
        fields.push_back(time(t.start));
        fields.push_back(time(t.end));
        fields.push_back(fixed(static_cast<double>((t.end - t.start).n) * kMicrosecondsPerCycle, kExactDecimals));
        fields.emplace_back(t.indirect ? "indirect" : "direct");
        fields.emplace_back(error_name(t.error));
        if (config.network) {
            add_parts(parts_of(t), fields);
        } else {
            for (const std::int64_t part : t.parts) fields.push_back(std::to_string(part));
        }
        write(csv_line(fields));
    });
    result.frames.each([&](const FrameRecord& f) {
        const Time end = f.lost() ? f.begin : f.arrived;
        std::vector<std::string> fields{std::to_string(key.point),
                                        variant,
                                        std::to_string(key.repetition),
                                        config.traffic.at(f.item).name,
                                        hosts[f.sender],
                                        hosts[f.receiver],
                                        f.message ? fmt::format("q{}.{}", f.message->qp, f.id) : std::to_string(f.id),
                                        f.message ? std::string(rc::verb_name(f.message->verb)) : "frame",
                                        std::to_string(f.bytes),
                                        std::to_string(f.ready.ps),
                                        std::to_string(end.ps),
                                        fixed(static_cast<double>((end - f.ready).ps) * 1e-6, kDecimals),
                                        f.marked ? "marked" : "",
                                        f.lost() ? "lost" : ""};
        add_parts(parts_of(f), fields);
        write(csv_line(fields));
    });
}

}  // namespace rnicsim::runner
