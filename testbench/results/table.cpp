// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/table.h"

#include "testbench/results/columns.h"
#include "testbench/results/text.h"
#include "testbench/results/ways.h"
#include "testbench/workloads/messages/message_sample.h"
#include "testbench/workloads/transfers/transfer_sample.h"

#include <algorithm>
#include <cmath>

namespace rnicsim::runner {
namespace {

std::string time_text(double microseconds) {
    if (std::isnan(microseconds)) return "-";
    return microseconds >= 1000 ? fixed(microseconds / 1000, 3) + " ms" : fixed(microseconds, 3) + " us";
}

using Row = std::vector<std::string>;

/// `of` times `factor`. Where all repetitions are alike there is no interval.
std::string with_interval(const Estimate& of, const double factor, const int decimals) {
    const bool has_none = std::isnan(of.half_width) || of.all_alike();
    return fixed(of.mean * factor, decimals) + (has_none ? "" : " ± " + fixed(of.half_width * factor, decimals));
}

std::string gain_text(const PointSummary& point, const Comparison& of) {
    if (point.gain.n == 0) return "-";
    const std::size_t repetitions = point.variants.at(of.base).repetitions;
    // A ratio to nothing is none.
    const std::string some = point.gain.n == repetitions ? ""
                                                         : " of " + std::to_string(point.gain.n) + " of " +
                                                               std::to_string(repetitions) + " repetitions";
    // Of failed shares the gain itself is that they differ.
    const bool differ = of.of != Statistic::failed_share && !point.equal_failed_shares(of);
    return with_interval(point.gain, 100, 2) + " %" + some + (differ ? ", failed shares differ" : "");
}

/// Of a network: what means of completed transfers do not show.
Row network_cells(const PointSummary& point, bool messages) {
    Row cells;
    for (const VariantSummary& variant : point.variants) cells.push_back(time_text(variant.p99));
    for (const VariantSummary& variant : point.variants) cells.push_back(fixed(variant.goodput, 3));
    if (messages) {
        for (const VariantSummary& variant : point.variants) cells.push_back(fixed(variant.rate, 3));
    }
    for (const VariantSummary& variant : point.variants) cells.push_back(fixed(variant.jain, 3));
    return cells;
}

/// The reference's value, our band for one experiment of the same size, and whether the one lies in the other.
std::vector<std::string> reference_cells(const ReferenceGain* const reference, const PointSummary& point,
                                         const Comparison& of) {
    const Estimate& gain = point.gain;
    if (reference == nullptr) return {"-", "", ""};
    const std::string value = fixed(reference->gain * 100, 1) + " %";
    const double half =
        prediction_half_width(estimate(point.variants.at(of.base).compared),
                              estimate(point.variants.at(of.against).compared), gain, more_is_better(of.of));
    if (std::isnan(half)) return {value, "-", ""};
    constexpr double kRounding = 1e-12;  // of 1 - against / base, in case the band has no width
    const std::string band = fixed((gain.mean - half) * 100, 2) + " .. " + fixed((gain.mean + half) * 100, 2) + " %";
    return {value, band, std::abs(reference->gain - gain.mean) <= half + kRounding ? "inside" : "outside"};
}

std::string aligned(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths;
    for (const Row& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
    }
    std::string text;
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += "  " + row[i] + std::string(widths[i] - display_width(row[i]), ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

/// As run.traffic says it: a group if these are all of its hosts, else a host.
const std::string& end_name(const RunConfig& config, const std::vector<unsigned>& hosts) {
    const std::string& group = config.groups.at(hosts.front());
    const auto members = static_cast<std::size_t>(std::ranges::count(config.groups, group));
    return hosts.size() == members ? group : config.names[hosts.front()];
}

/// "client to server", or its name.
std::string traffic_text(const RunConfig& config, const std::size_t number) {
    const TrafficConfig& item = config.traffic.at(number);
    const bool named = item.name != std::to_string(number);
    return named ? item.name : end_name(config, item.from) + " to " + end_name(config, item.to);
}

}  // namespace

std::string time_text(const Estimate& microseconds) {
    if (microseconds.n == 0) return "-";
    const bool milliseconds = microseconds.mean >= 1000;
    return with_interval(microseconds, milliseconds ? 1e-3 : 1, 3) + (milliseconds ? " ms" : " us");
}

std::string results_table(const Scenario& scenario, const Summary& summary) {
    const std::optional<Comparison>& compare = scenario.variants.compare;
    const SweepPoint* const first = scenario.points.empty() ? nullptr : &scenario.points.front();
    const bool network = first != nullptr && first->configs.front().network;
    const bool references = compare && !scenario.reference.empty();
    Row header;
    if (first != nullptr) {
        for (const auto& [axis, value] : first->values) header.push_back(axis);
    }
    if (network) header.emplace_back("traffic");
    const bool named = scenario.variants.named();
    const Scope scope = scope_of(scenario);
    const SampleKind& kind = scope.kinds.empty() ? kTransferSample : *scope.kinds.front();
    const std::string what(kind.name);
    const auto heads = [&](const std::string& column) {
        for (const std::string& variant : scenario.variants.names) {
            const std::string name = named ? variant : "";
            header.push_back(column.empty() || name.empty() ? column + name : column + ' ' + name);
        }
    };
    heads(named ? "" : "mean");
    if (compare)
        header.push_back(compare->written ? "gain (" + std::string(statistic_name(compare->of)) + ")" : "gain");
    const bool messages = &kind == &kMessageSample;
    for (const char* const column :
         {"p99", "Gb/s", "Mmsg/s", "Jain"}) {  // of messages also millions a second, as perftest
        if (network && (messages || column != std::string_view("Mmsg/s"))) heads(column);
    }
    if (references) header.insert(header.end(), {"reference", "95 % band for one experiment", ""});

    std::vector<Row> rows{header};
    bool failures = false, lies = false;
    std::size_t times = 0, alike = 0;
    for (const PointSummary& point : summary.points) {
        Row row;
        for (const auto& [axis, value] : scenario.points.at(point.point).values) row.push_back(value);
        if (network) row.push_back(traffic_text(scenario.points.at(point.point).configs.front(), point.item));
        for (const VariantSummary& variant : point.variants) {
            failures = failures || variant.failed > 0;
            lies = lies || variant.false_runs > 0;
            ++times;
            alike += variant.time.all_alike() ? 1 : 0;
            row.push_back(time_text(variant.time) +
                          (variant.failed == 0 ? "" : " (" + grouped(variant.failed) + " failed)") +
                          (variant.false_runs == 0 ? "" : " (told too early)"));
        }
        if (compare) row.push_back(gain_text(point, *compare));
        if (network) {
            const Row cells = network_cells(point, messages);
            row.insert(row.end(), cells.begin(), cells.end());
        }
        if (references) {
            for (std::string& cell : reference_cells(find_reference(scenario, point.point), point, *compare)) {
                row.push_back(std::move(cell));
            }
        }
        rows.push_back(std::move(row));
    }
    std::string text = scenario.name + ": mean time of a " + what + " ± 95 % interval over " +
                       std::to_string(scenario.repetitions) +
                       (scenario.repetitions == 1 ? " repetition (no interval)\n" : " repetitions\n");
    text += aligned(rows);
    if (network) text += ways_not_taken(first->configs.front());
    if (failures) {
        text += std::string(kind.may_be_lost ? "Lost" : "Failed") + ' ' + what + "s are not part of the means.\n";
    }
    if (lies)
        text += "Told too early: durable by these times, and a power cut would have lost it (false persistence).\n";
    if (alike > 0)
        text += std::string(alike == times ? "Nothing is random here" : "Where there is no ±, nothing is random") +
                ": all repetitions are alike.\n";
    if (references && !scenario.reference_source.empty()) text += "reference: " + scenario.reference_source + '\n';
    return text;
}

}  // namespace rnicsim::runner
