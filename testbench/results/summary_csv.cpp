#include "testbench/results/summary_csv.h"

#include "testbench/results/text.h"

#include <algorithm>
#include <cmath>

namespace rnicsim::runner {
namespace {

constexpr int kDecimals = 6;
constexpr int kExactDecimals = 3;  // a cycle is 0.008 us

/// The columns between the axes and the counters.
std::vector<std::string> fixed_columns() {
    std::vector<std::string> names{
        "method",    "repetitions", "transfers_completed", "transfers_failed", "mean_us",        "sd_us",
        "ci95_us",   "min_us",      "median_us",           "max_us",           "indirect_share", "gain",
        "gain_ci95", "theory_us",   "theory_setup_us"};
    for (const std::string_view part : kTransferPartNames) names.push_back(std::string(part) + "_us");
    names.emplace_back("repetition_means_us");
    return names;
}

std::vector<std::string> header(const Scenario& scenario, const Summary& summary) {
    std::vector<std::string> fields{"point"};
    if (!scenario.points.empty()) {
        for (const auto& [axis, value] : scenario.points.front().values) fields.push_back(axis);
    }
    for (std::string& name : fixed_columns()) fields.push_back(std::move(name));
    fields.insert(fields.end(), summary.counter_names.begin(), summary.counter_names.end());
    return fields;
}

std::uint64_t counter(const MethodSummary& row, const std::string& name) {
    const auto found =
        std::find_if(row.counters.begin(), row.counters.end(), [&](const auto& c) { return c.first == name; });
    return found == row.counters.end() ? 0 : found->second;
}

std::string share(const std::uint64_t part, const std::uint64_t whole) {
    return whole == 0 ? std::string() : fixed(static_cast<double>(part) / static_cast<double>(whole), kDecimals);
}

/// Numbers with blanks between them; "-" for a repetition that completed no transfer.
std::string repetition_means(const MethodSummary& row) {
    std::string text;
    for (const double mean : row.repetition_means) {
        text += (text.empty() ? "" : " ") + (std::isnan(mean) ? "-" : fixed(mean, kDecimals));
    }
    return text;
}

}  // namespace

std::string summary_csv(const Scenario& scenario, const Summary& summary) {
    std::string text = csv_line(header(scenario, summary));
    for (const PointSummary& point : summary.points) {
        for (const MethodSummary& row : point.methods) {
            std::vector<std::string> fields{std::to_string(point.point)};
            for (const auto& [axis, value] : scenario.points.at(point.point).values) fields.push_back(value);
            fields.emplace_back(method_name(row.method));
            fields.push_back(std::to_string(row.repetitions));
            fields.push_back(std::to_string(row.completed));
            fields.push_back(std::to_string(row.failed));
            fields.push_back(fixed(row.time.mean, kDecimals));
            fields.push_back(fixed(row.time.sd, kDecimals));
            fields.push_back(fixed(row.time.half_width, kDecimals));
            fields.push_back(fixed(row.min, kExactDecimals));
            fields.push_back(fixed(row.median, kExactDecimals));
            fields.push_back(fixed(row.max, kExactDecimals));
            fields.push_back(share(row.indirect, row.completed + row.failed));
            const bool has_gain = row.method == Method::dynamic && point.gain.n > 0;
            fields.push_back(has_gain ? fixed(point.gain.mean, kDecimals) : "");
            fields.push_back(has_gain ? fixed(point.gain.half_width, kDecimals) : "");
            fields.push_back(fixed(row.theory, kDecimals));
            fields.push_back(fixed(row.theory_set_up, kDecimals));
            for (const double part : row.parts) fields.push_back(fixed(part, kDecimals));
            fields.push_back(repetition_means(row));
            for (const std::string& name : summary.counter_names) fields.push_back(std::to_string(counter(row, name)));
            text += csv_line(fields);
        }
    }
    return text;
}

void check_axis_names(const Scenario& scenario) {
    std::vector<std::string> taken = fixed_columns();
    taken.emplace_back("point");
    for (const auto& [axis, value] : scenario.points.front().values) {
        if (std::find(taken.begin(), taken.end(), axis) == taken.end()) continue;
        throw ScenarioError(scenario.file.string() + ": run.sweep: an axis is called '" + axis +
                            "', which is a column of summary.csv; expected another name");
    }
}

std::string transfers_csv_header() {
    std::string text = "point,method,repetition,initiator,id,operation,start_cycle,end_cycle,time_us,mode,error";
    for (const std::string_view part : kTransferPartNames) text += "," + std::string(part) + "_cycles";
    return text + '\n';
}

std::string transfers_csv_rows(const std::size_t point, const Method method, const std::uint32_t repetition,
                               const RunResult& result, const HostNames& hosts) {
    std::string text;
    for (const TransferRecord& t : result.transfers) {
        std::vector<std::string> fields{
            std::to_string(point),
            std::string(method_name(method)),
            std::to_string(repetition),
            hosts[t.initiator],
            std::to_string(t.id),
            std::string(operation_name(t.operation)),
            std::to_string(t.start.n),
            std::to_string(t.end.n),
            fixed(static_cast<double>((t.end - t.start).n) * kMicrosecondsPerCycle, kExactDecimals),
            t.indirect ? "indirect" : "direct",
            t.error};
        for (const std::int64_t part : t.parts) fields.push_back(std::to_string(part));
        text += csv_line(fields);
    }
    return text;
}

}  // namespace rnicsim::runner
