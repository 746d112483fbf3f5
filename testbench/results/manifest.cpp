// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/manifest.h"

#include "testbench/results/build_info.h"
#include "testbench/results/machine.h"
#include "testbench/results/text.h"

#include <nlohmann/json.hpp>

namespace rnicsim::runner {
namespace {

using nlohmann::ordered_json;

ordered_json scenario_part(const Scenario& scenario, const std::vector<Override>& overrides) {
    ordered_json part = {{"name", scenario.name}, {"file", scenario.file.filename().string()}};
    part["overrides"] = ordered_json::array();
    for (const auto& [key, value] : overrides) {
        std::string text = key;
        part["overrides"].push_back(text.append("=").append(value));
    }
    part["seed"] = scenario.points.empty() ? 0 : scenario.points.front().configs.front().seed;
    if (!scenario.tape.empty()) part["tape"] = scenario.tape;
    for (const OwnProfile& own : scenario.profiles) {
        part["profiles"].push_back({{"key", own.key}, {"name", own.name}, {"file", own.file}, {"text", own.text}});
    }
    const Variants& variants = scenario.variants;
    part[variants.word + 's'] = variants.names;
    if (variants.compare) {
        part["compare"] = {{"base", variants.names.at(variants.compare->base)},
                           {"against", variants.names.at(variants.compare->against)},
                           {"of", statistic_name(variants.compare->of)}};
    }
    part["repetitions"] = scenario.repetitions;
    part["axes"] = ordered_json::array();
    if (!scenario.points.empty()) {
        for (const auto& [axis, value] : scenario.points.front().values) part["axes"].push_back(axis);
    }
    part["points"] = ordered_json::array();
    for (const SweepPoint& point : scenario.points) {
        ordered_json values = ordered_json::array();
        for (const auto& [axis, value] : point.values) values.push_back(value);
        part["points"].push_back(std::move(values));
    }
    part["resolved"] = scenario.resolved;
    return part;
}

ordered_json reference_part(const Scenario& scenario) {
    ordered_json gains = ordered_json::array();
    for (std::size_t p = 0; p < scenario.points.size(); ++p) {
        if (const ReferenceGain* const reference = find_reference(scenario, p)) {
            gains.push_back({{"point", p}, {"gain", reference->gain}});
        }
    }
    return {{"source", scenario.reference_source}, {"gains", std::move(gains)}};
}

ordered_json cost_part(const Totals& totals, const CallInfo& call) {
    const auto rate = [&](const std::uint64_t n) {
        return totals.run_seconds > 0 ? ordered_json(static_cast<double>(n) / totals.run_seconds) : ordered_json();
    };
    return {{"jobs", call.jobs},
            {"resumed_runs", call.resumed_runs},
            {"wall_seconds", call.wall_seconds},
            {"run_seconds", totals.run_seconds},
            {"simulated_seconds", totals.simulated_seconds},
            {"data_frames", totals.data_frames},
            {"kernel_events", totals.kernel_events},
            {"data_frames_per_run_second", rate(totals.data_frames)},
            {"kernel_events_per_run_second", rate(totals.kernel_events)}};
}

ordered_json machine_part(const Machine& machine) { return {{"cpu", machine.cpu}, {"cores", machine.cores}}; }

ordered_json shards_part(const std::vector<ShardRecord>& records) {
    ordered_json part = ordered_json::array();
    for (const ShardRecord& record : records) {
        part.push_back({{"shard", record.shard.label()},
                        {"machine", machine_part(record.machine)},
                        {"jobs", record.jobs},
                        {"wall_seconds", record.wall_seconds}});
    }
    return {{"count", records.size()}, {"each", std::move(part)}};
}

}  // namespace

std::string manifest_json(const Scenario& scenario, const Summary& summary, const CallInfo& call) {
    const BuildInfo& build = build_info();
    ordered_json manifest = {
        {"format", 1},
        {"scenario", scenario_part(scenario, call.overrides)},
        {"reference", reference_part(scenario)},
        {"program",
         {{"version", build.version},
          {"git_revision", build.git_revision},
          {"source_hash", build.source_hash},
          {"compiler", build.compiler},
          {"build_type", build.build_type},
          {"systemc", build.systemc}}},
        {"machine", machine_part(this_machine())},
        {"cost", cost_part(summary.totals, call)},
    };
    if (!call.shards.empty()) manifest["shards"] = shards_part(call.shards);
    return manifest.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace rnicsim::runner
