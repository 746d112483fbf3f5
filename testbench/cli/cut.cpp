// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/cut.h"

#include "model/request_error.h"
#include "testbench/cli/look_options.h"
#include "testbench/events/microseconds.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/results/journal.h"
#include "testbench/results/text.h"
#include "testbench/scenario/decimal.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace rnicsim::runner {
namespace {

constexpr std::size_t kMostItems = 12;  // of a list

unsigned chosen_host(const Scenario& scenario, const RunConfig& config, const CutOptions& options) {
    const std::vector<unsigned> hosts = durable_hosts(scenario, config);
    if (options.host.empty()) return hosts.front();
    const auto named = [&](unsigned host) { return config.names[host] == options.host; };
    const auto found = std::ranges::find_if(hosts, named);
    if (found != hosts.end()) return *found;
    std::string expected;
    for (const unsigned host : hosts) expected += (expected.empty() ? "" : ", ") + config.names[host];
    throw ScenarioError("--host " + options.host + ": expected one at which items are made durable: " + expected);
}

std::string share(Time part, Time all) {
    return fixed(all > Time{} ? 100.0 * static_cast<double>(part.ps) / static_cast<double>(all.ps) : 0, 2) + " %";
}

ExitCode tell(const HostCuts& cuts, const std::string& title, const std::string& host) {
    const CutReport& report = cuts.report;
    std::string text = fmt::format("{}: the power of {} cut at any instant from {} to {}\n", title, host,
                                   instant_text(report.first), instant_text(report.end));
    text += fmt::format("  {:<12}{:>10}{:>10}{:>10}\n", "items", "of time", "at once", "in all");
    for (std::size_t i = 0; i < kCutStates; ++i) {
        const CutReport::Total& total = report.totals.at(i);
        const bool counted = CutState{static_cast<std::uint8_t>(i)} != CutState::inverted;
        text += fmt::format("  {:<12}{:>10}{:>10}{:>10}\n", kCutStateNames.at(i),
                            share(total.time, report.end - report.first), total.at_once,
                            counted ? std::to_string(total.messages) : "-");
    }
    if (!cuts.example.empty()) text += "false persistence: " + cuts.example + '\n';
    std::fputs(text.c_str(), stdout);
    return cuts.example.empty() ? kOk : kSimulationFailed;
}

std::string in_words(const CutFinding::Item& item) {
    std::string text = fmt::format("  {}: {} of {} bytes are there", item.name, item.durable, item.bytes);
    if (item.line) {
        text += fmt::format(", line 0x{:x} is {}{}", *item.line * static_cast<std::uint64_t>(kLineBytes),
                            item.stage == WriteStage::nowhere ? "nowhere" : "in the ",
                            item.stage == WriteStage::nowhere ? "" : stage_name(item.stage));
    }
    if (item.told_written != kEndOfTime) text += "; told written at " + instant_text(item.told_written);
    if (item.told_persisted != kEndOfTime) text += "; told persisted at " + instant_text(item.told_persisted);
    return text + '\n';
}

ExitCode tell(const CutFinding& found, const std::string& title, const std::string& host) {
    const CutRow& row = found.row;
    std::string text = fmt::format("{}: the power of {} is cut at {}\n", title, host, instant_text(row.time));
    text += fmt::format("lost: {} B in the iio, {} B in the llc, {} B in the imc\n", grouped(row.iio_bytes),
                        grouped(row.llc_bytes), grouped(row.imc_bytes));
    text += fmt::format("{} posted, {} told persisted, {} of which all bytes are there\n",
                        counted(found.posted, "item"), grouped(found.told), grouped(found.durable));
    constexpr std::array<std::pair<CutState, const char*>, 4> kLists{
        {{CutState::false_persistence, "told persisted and not safe"},
         {CutState::vulnerable, "told written and not safe"},
         {CutState::torn, "torn"},
         {CutState::inverted, "safe before one that was posted earlier"}}};
    for (const auto& [state, name] : kLists) {
        text += fmt::format("{}: {}\n", name, counted(row.of(state), "item"));
        std::size_t told = 0;
        for (const CutFinding::Item& item : found.items) {
            if (!item.is.at(static_cast<std::size_t>(state))) continue;
            if (++told <= kMostItems) text += in_words(item);
        }
        if (told > kMostItems) text += fmt::format("  and {} more\n", grouped(told - kMostItems));
    }
    std::fputs(text.c_str(), stdout);
    return row.of(CutState::false_persistence) == 0 ? kOk : kSimulationFailed;
}

}  // namespace

std::vector<unsigned> durable_hosts(const Scenario& scenario, const RunConfig& config) {
    std::vector<unsigned> hosts;
    for (const VerbsLayout::Connection& c : lay_out(config).persists) {
        if (std::ranges::find(hosts, c.ends[1].host) == hosts.end()) hosts.push_back(c.ends[1].host);
    }
    if (hosts.empty())
        throw ScenarioError(scenario.file.string() +
                            ": no item of run.traffic has a scheme: expected one whose data are made durable");
    return hosts;
}

Time instant_of(const std::string& option, const std::string& text) {
    const std::optional<std::int64_t> ps = in_smallest(text, Kind::picoseconds);
    if (!ps || *ps < 1) throw ScenarioError(option + ' ' + text + ": expected a time of the run, such as \"12.5 us\"");
    return Time{*ps};
}

/// All in one unit, exact: --at takes them as they are.
std::string instant_text(Time time) { return exact_microseconds(time) + " us"; }

ExitCode cut(const Scenario& scenario, const CutOptions& options, const Simulate& simulate) {
    const RunKey key = chosen_run(scenario, options.run, "--run");
    RunRequest request = run_config(scenario, key.point, key.variant, key.repetition);
    const unsigned host = chosen_host(scenario, request, options);
    if (!options.at.empty()) {
        if (!options.csv.empty()) throw ScenarioError("--csv " + options.csv + ": has all instants; expected no --at");
        request.cut.at = {instant_of("--at", options.at)};
    }
    check_file("--csv", options.csv, {".csv"});
    request.cut.csv = options.csv;
    request.cut.host = host;
    std::string title = scenario.name;
    if (const auto& values = scenario.points.at(key.point).values; !values.empty()) title += ", " + point_label(values);
    title += ", run " + run_label(scenario, key);
    try {
        const RunResult::Cuts cuts = simulate(request).cuts;
        const auto of_host = [host](const auto& of) { return of.host == host; };
        if (options.at.empty()) return tell(*std::ranges::find_if(cuts.folded, of_host), title, request.names[host]);
        return tell(*std::ranges::find_if(cuts.stopped, of_host), title, request.names[host]);
    } catch (const RequestError& error) { throw ScenarioError(error.what()); } catch (const RunError& error) {
        spdlog::error("the run failed:\n{}", error.what());
        return kSimulationFailed;
    }
}

}  // namespace rnicsim::runner
