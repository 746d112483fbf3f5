// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/workloads.h"

#include "testbench/cli/workload_guide.h"
#include "testbench/scenario/key_schema.h"
#include "testbench/scenario/scenario.h"
#include "testbench/scenario/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

namespace rnicsim::runner {
namespace {

constexpr std::uint32_t kPmtu = 1024;

void put(const std::string& text) { std::fputs(text.c_str(), stdout); }

std::string keys_text(const WorkloadGuide& of) {
    std::string text = "\nKeys, with defaults (`rnicsim describe --keys` has where they come from):\n";
    std::size_t width = 0, value = 0;
    for (const std::string& path : of.keys) {
        width = std::max(width, path.size() - 4);
        value = std::max(value, find_key(path)->fallback.size());
    }
    for (const std::string& path : of.keys) {
        const Key& key = *find_key(path);
        text += fmt::format("  {:<{}}  {:<{}}  {}: {}\n", path.substr(4), width, key.fallback, value, range_text(key),
                            key.meaning);
    }
    return text;
}

std::string side_text(const applications::Plan::Side& side) {
    std::string areas;
    for (const applications::Plan::Area& area : side.areas)
        areas += fmt::format("{}{}{} B{}", areas.empty() ? "" : ", ", area.registered ? "registered " : "", area.bytes,
                             area.shared != 0 ? " of all ends of the host" : "");
    std::string does;
    const auto add = [&](bool is, std::string_view what) {
        if (is) does.append(does.empty() ? "" : ", ").append(what);
    };
    add(side.reads, "READs");
    add(side.atomics, "atomics");
    add(side.registers, "registers memory");
    add(side.copies, "copies");
    add(side.touches, "touches new pages");
    add(side.calls, "calls processes");
    return fmt::format("{} send WQEs, {} receive WQEs; memory: {}{}{}\n", side.sends, side.receives, areas,
                       does.empty() ? "" : "; ", does);
}

std::string counts_text(const applications::EndCounts& counts) {
    std::string text;
    for (std::size_t i = 0; i < applications::kCounts; ++i) {
        const std::uint64_t value = counts[static_cast<applications::Count>(i)];
        if (value != 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", applications::kCountNames.at(i), value);
    }
    return text + '\n';
}

std::string application_text(const WorkloadGuide& of) {
    const ScenarioOfText file(of.scenario);
    const RunConfig config = run_config(load_scenario(file.path()), 0, 0, 0);
    const TrafficConfig& item = config.traffic.front();
    const applications::Application& application = *of.application;
    const applications::Plan plan = application.plan(item);
    std::string text = "\nParts of its time:";
    for (const std::string_view part : application.parts()) text.append(" ").append(part);
    text += fmt::format("\n\nA connection of the scenario below has {}{}{}{}:\n", plan.verbs ? "a QP" : "",
                        plan.verbs && plan.stream ? " and " : "", plan.stream ? "a stream" : "",
                        plan.bridge ? "rings behind a bridge" : "");
    text += "  who asks:    " + side_text(plan.sides[0]) + "  who answers: " + side_text(plan.sides[1]);
    const applications::Counts counts = application.expected(item, {&item.size, 1}, kPmtu);
    text +=
        fmt::format("\nAn operation of {} B with packets of {} B, by its formula, which each run is held against:\n",
                    item.size, kPmtu);
    return text + "  who asks:    " + counts_text(counts[0]) + "  who answers: " + counts_text(counts[1]);
}

}  // namespace

ExitCode workloads(const WorkloadsOptions& options) {
    if (options.name.empty()) {
        if (options.scenario) throw ScenarioError("--scenario: expected NAME with it");
        const std::vector<WorkloadGuide> all = workload_guides();
        std::size_t width = 0, group = 0;
        for (const WorkloadGuide& of : all) {
            width = std::max(width, of.name.size());
            group = std::max(group, of.group.size());
        }
        for (const WorkloadGuide& of : all)
            put(fmt::format("{:<{}}  {:<{}}  {}\n", of.name, width, of.group, group, of.about));
        return kOk;
    }
    const WorkloadGuide of = workload_guide(options.name);
    if (options.scenario) {
        put(of.scenario);
        return kOk;
    }
    put(fmt::format("{}, {}: {}\n", of.name, of.group, of.about) + keys_text(of));
    if (of.application != nullptr) put(application_text(of));
    put("\nA scenario (--scenario prints it alone):\n\n" + of.scenario);
    return kOk;
}

}  // namespace rnicsim::runner
