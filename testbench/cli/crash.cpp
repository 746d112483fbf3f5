// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/crash.h"

#include "model/request_error.h"
#include "testbench/cli/cut.h"
#include "testbench/cli/look_options.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/processes/forked_text.h"
#include "testbench/records/output_file.h"
#include "testbench/results/journal.h"
#include "testbench/results/text.h"
#include "testbench/sweep/progress.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

namespace rnicsim::runner {
namespace {

unsigned chosen_initiator(const RunConfig& config, const std::string& name) {
    const std::vector<VerbsLayout::Connection> all = lay_out(config).persists;
    if (name.empty()) return all.front().ends[0].host;
    for (const VerbsLayout::Connection& c : all) {
        if (config.names[c.ends[0].host] == name) return c.ends[0].host;
    }
    throw ScenarioError("--host " + name + ": expected the initiator of an item with a scheme, such as " +
                        config.names[all.front().ends[0].host]);
}

CrashOf crash_of(const std::string& name) {
    const auto found = std::ranges::find(kCrashNames, name);
    if (found == kCrashNames.end()) throw ScenarioError("--what " + name + ": expected host or system");
    return static_cast<CrashOf>(found - kCrashNames.begin());
}

/// The time in which the initiator has items: behind `from`, and up to `to`. It crashes in one of the pieces that its
/// acts divide it into, of which `ends` has the ends; the last is `to`.
struct Span {
    Time from = kEndOfTime, to;
    std::vector<Time> ends;
    Time lead;
};

/// From its first item until the last has been told; where one is not, until the host does nothing any more.
Span span_of(const RunResult& result, unsigned initiator) {
    Span all;
    const std::vector<Time>& acts = result.cuts.acts.at;
    for (const Sample& item : result.samples) {
        if (item.initiator != initiator) continue;
        all.from = std::min(all.from, item.start);
        all.to = std::max({all.to, item.start, item.failed() ? acts.back() : item.end});
    }
    all.to += kPicosecond;  // what is due at an instant has not happened when the host crashes at it
    all.ends.assign(std::ranges::upper_bound(acts, all.from), std::ranges::lower_bound(acts, all.to));
    all.ends.push_back(all.to);
    all.lead = result.cuts.acts.lead;
    return all;
}

std::string encoded(const Span& span) {
    nlohmann::json ends;
    for (const Time end : span.ends) ends.push_back(end.ps);
    return nlohmann::json{{"from", span.from.ps}, {"ends", ends}, {"lead", span.lead.ps}}.dump();
}

Span decoded(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text);
    Span span;
    span.from = Time{json.at("from").get<std::int64_t>()};
    for (const std::int64_t end : json.at("ends").get<std::vector<std::int64_t>>()) span.ends.push_back(Time{end});
    span.to = span.ends.back();
    span.lead = Time{json.at("lead").get<std::int64_t>()};
    return span;
}

/// One in each of so many equal parts.
std::vector<Time> drawn(const Span& from, std::uint32_t samples, std::uint64_t seed) {
    std::mt19937_64 draw(seed);
    std::vector<Time> all;
    const double part = static_cast<double>((from.to - from.from).ps) / samples;
    for (std::uint32_t i = 0; i < samples; ++i) {
        const double place = i + static_cast<double>(draw() >> 11U) * 0x1p-53;
        all.push_back(from.from + Time{static_cast<std::int64_t>(place * part) + 1});
    }
    return all;
}

/// What is counted, and how.
struct Row {
    const char* name;
    std::uint64_t (*of)(const CrashLeft&);
};
constexpr std::array<Row, 5> kRows{
    {{"posted, not told durable", [](const CrashLeft& left) { return left.posted - left.told; }},
     {"  durable when all rests", [](const CrashLeft& left) { return left.durable - (left.told - left.wrong); }},
     {"  not",
      [](const CrashLeft& left) { return left.posted - left.told - (left.durable - (left.told - left.wrong)); }},
     {"torn when all rests", [](const CrashLeft& left) { return left.torn; }},
     {"told durable, and not", [](const CrashLeft& left) { return left.wrong; }}}};

std::string at_one(const CrashLeft& left) {
    std::string text = fmt::format("  {:<28}{:>10}\n  {:<28}{:>10}\n", "posted", grouped(left.posted), "told durable",
                                   grouped(left.told));
    for (const Row& row : kRows) text += fmt::format("  {:<28}{:>10}\n", row.name, grouped(row.of(left)));
    return text;
}

/// `weights`: of each instant, the time for which it stands.
std::string at_many(const std::vector<CrashLeft>& all, const std::vector<double>& weights) {
    std::string text = fmt::format("  {:<28}{:>10}{:>12}{:>10}\n", "items", "of time", "on average", "at most");
    for (const Row& row : kRows) {
        double some = 0, sum = 0, whole = 0;
        std::uint64_t most = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::uint64_t count = row.of(all[i]);
            some += count != 0 ? weights[i] : 0;
            sum += static_cast<double>(count) * weights[i];
            whole += weights[i];
            most = std::max(most, count);
        }
        text += fmt::format("  {:<28}{:>10}{:>12}{:>10}\n", row.name, fixed(100 * some / whole, 2) + " %",
                            fixed(sum / whole, 3), grouped(most));
    }
    return text;
}

bool differ(CrashLeft one, const CrashLeft& other) {
    one.at = other.at;
    return one != other;
}

/// A row a change; each holds for crashes behind its time.
void write_csv(const std::string& name, const Span& span, const std::vector<CrashLeft>& all) {
    OutputFile file(name);
    file.write("time_ps,posted,told,durable,torn,false\n");
    for (std::size_t i = 0; i < all.size(); ++i) {
        const CrashLeft& left = all[i];
        if (i != 0 && !differ(all[i - 1], left)) continue;
        const Time from = i == 0 ? span.from : span.ends[i - 1];
        file.write(
            fmt::format("{},{},{},{},{},{}\n", from.ps, left.posted, left.told, left.durable, left.torn, left.wrong));
    }
    file.close();
}

std::vector<double> weights_of(const Span& span) {
    std::vector<double> all;
    Time from = span.from;
    for (const Time to : span.ends) {
        all.push_back(static_cast<double>((to - from).ps));
        from = to;
    }
    return all;
}

/// Where the run's acts are, from a process of its own.
Span listed(RunRequest request, const Simulate& simulate) {
    request.crash.lists = true;
    return decoded(ForkedText([&] { return encoded(span_of(simulate(request), request.crash.host)); }).wait());
}

std::string asked_for(const CrashOptions& options, const Span& span, std::size_t instants) {
    const std::string range = " from " + instant_text(span.from) + " to " + instant_text(span.to - kPicosecond);
    if (options.samples != 0) return "at " + counted(instants, "random instant") + range;
    return "at any instant" + range + ", in " + counted(instants, "piece");
}

}  // namespace

ExitCode crash(const Scenario& scenario, const CrashOptions& options, const Simulate& simulate) {
    const RunKey key = chosen_run(scenario, options.run, "--run");
    RunRequest request = run_config(scenario, key.point, key.variant, key.repetition);
    static_cast<void>(durable_hosts(scenario, request));
    request.crash.host = chosen_initiator(request, options.host);
    request.crash.of = crash_of(options.what);
    request.crash.jobs = options.jobs;
    if (!options.csv.empty() && (!options.at.empty() || options.samples != 0))
        throw ScenarioError("--csv " + options.csv + ": has all instants; expected no --at and no --samples");
    check_file("--csv", options.csv, {".csv"});
    const std::string who = fmt::format("{}, run {}: {} of {} crashes ", scenario.name, run_label(scenario, key),
                                        options.what, request.names[request.crash.host]);
    try {
        if (!options.at.empty()) {
            request.crash.at = {instant_of("--at", options.at)};
            const CrashLeft left = simulate(request).cuts.crashed.front();
            std::fputs((who + "at " + instant_text(left.at) + '\n' + at_one(left)).c_str(), stdout);
            return left.wrong == 0 ? kOk : kSimulationFailed;
        }
        const Span span = listed(request, simulate);
        request.crash.at = options.samples == 0 ? span.ends : drawn(span, options.samples, request.seed);
        request.crash.lead = span.lead;
        Progress progress(request.crash.at.size(), 0, stderr_is_terminal());
        request.crash.on_copy = [&progress] {
            progress.run_ended(0);
            progress.show();
        };
        const std::vector<CrashLeft> all = simulate(request).cuts.crashed;
        progress.clear();
        if (!options.csv.empty()) write_csv(options.csv, span, all);
        const std::vector<double> weights =
            options.samples == 0 ? weights_of(span) : std::vector<double>(all.size(), 1.0);
        std::fputs((who + asked_for(options, span, all.size()) + '\n' + at_many(all, weights)).c_str(), stdout);
        const bool wrong = std::ranges::any_of(all, [](const CrashLeft& left) { return left.wrong != 0; });
        return wrong ? kSimulationFailed : kOk;
    } catch (const RequestError& error) { throw ScenarioError(error.what()); } catch (const RunError& error) {
        spdlog::error("the run failed:\n{}", error.what());
        return kSimulationFailed;
    } catch (const WorkerDied& death) {
        spdlog::error("a process that simulated died: {}", death.what());
        return kIncomplete;
    }
}

}  // namespace rnicsim::runner
