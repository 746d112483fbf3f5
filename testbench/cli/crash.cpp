#include "testbench/cli/crash.h"

#include "testbench/cli/cut.h"
#include "testbench/results/journal.h"
#include "testbench/results/text.h"
#include "testbench/workload/verbs_layout.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>
#include <string_view>
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

struct Span {
    Time from = kEndOfTime, to;
};

/// From its first item to the last telling.
Span busy(const RunResult& result, unsigned initiator) {
    Span all;
    for (const FrameRecord& item : result.frames) {
        if (item.sender != initiator) continue;
        all.from = std::min(all.from, item.ready);
        all.to = std::max({all.to, item.ready, item.arrived});
    }
    return all;
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

/// Summed over responders.
struct Left {
    std::uint64_t posted = 0, told = 0, durable = 0, torn = 0, wrong = 0;
    Left& operator+=(const Left& other) {
        posted += other.posted;
        told += other.told;
        durable += other.durable;
        torn += other.torn;
        wrong += other.wrong;
        return *this;
    }
    [[nodiscard]] std::uint64_t untold() const { return posted - told; }
    [[nodiscard]] std::uint64_t durable_untold() const { return durable - (told - wrong); }
};

Left left_by(const RunResult& result) {
    Left all;
    const std::pair<std::string_view, std::uint64_t*> names[]{{".crash.posted", &all.posted},
                                                              {".crash.told", &all.told},
                                                              {".crash.durable", &all.durable},
                                                              {".crash.torn", &all.torn},
                                                              {".crash.false", &all.wrong}};
    for (const auto& [name, value] : result.counters) {
        for (const auto& [suffix, to] : names) {
            if (name.ends_with(suffix)) *to += value;
        }
    }
    return all;
}

/// Runs, each in a process of its own.
class Runs {
  public:
    Runs(const CrashOptions& options, const Simulate& simulate, const std::function<bool()>& interrupted)
        : options_(options), simulate_(simulate), interrupted_(interrupted) {}

    /// Calls `take` with each result; not kOk: one has failed, which is printed.
    ExitCode operator()(const std::vector<RunRequest>& requests, const std::function<void(const RunResult&)>& take) {
        ExitCode code = kOk;
        const auto on_end = [&](std::size_t, const RunOutcome& outcome) {
            if (outcome.kind == RunOutcome::Kind::finished) return take(outcome.result);
            spdlog::error("a run failed:\n{}", outcome.message);
            code = outcome.kind == RunOutcome::Kind::died ? kIncomplete : kSimulationFailed;
        };
        const PoolEnd end = run_pool(requests, options_.jobs, simulate_, {on_end, [] {}, interrupted_});
        return end == PoolEnd::interrupted ? kInterrupted : code;
    }

  private:
    const CrashOptions& options_;
    const Simulate& simulate_;
    const std::function<bool()>& interrupted_;
};

std::string told(const Left& all) {
    const auto share = [&](std::uint64_t part) {
        const double of = all.untold() == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all.untold());
        return fmt::format("{:>10}{:>10}\n", grouped(part), fixed(of, 1) + " %");
    };
    std::string text = fmt::format("  {:<36}{:>10}\n", "posted, not told durable", grouped(all.untold()));
    text += "    durable when all rests            " + share(all.durable_untold());
    text += "    not                               " + share(all.untold() - all.durable_untold());
    text += fmt::format("  {:<36}{:>10}\n", "torn when all rests", grouped(all.torn));
    return text + fmt::format("  {:<36}{:>10}\n", "told durable, and not", grouped(all.wrong));
}

}  // namespace

ExitCode crash(const Scenario& scenario, const CrashOptions& options, const Simulate& simulate,
               const std::function<bool()>& interrupted) {
    const RunKey key = chosen_run(scenario, options.run, "--run");
    RunRequest request = run_config(scenario, key.point, key.variant, key.repetition);
    static_cast<void>(durable_hosts(scenario, request));
    const unsigned host = chosen_initiator(request, options.host);
    const CrashOf what = crash_of(options.what);
    std::vector<Time> instants;
    Runs runs(options, simulate, interrupted);
    if (!options.at.empty()) {
        instants = {instant_of("--at", options.at)};
    } else {
        const auto draw = [&](const RunResult& result) {
            instants = drawn(busy(result, host), options.samples, request.seed);
        };
        if (const ExitCode code = runs({request}, draw); code != kOk) return code;
    }
    std::vector<RunRequest> requests(instants.size(), request);
    for (std::size_t i = 0; i < instants.size(); ++i) requests[i].crash = {instants[i], host, what};
    Left all;
    if (const ExitCode code = runs(requests, [&](const RunResult& result) { all += left_by(result); }); code != kOk)
        return code;
    const std::string when = options.at.empty()
                                 ? fmt::format("at {} random instants from {} to {}", instants.size(),
                                               instant_text(instants.front()), instant_text(instants.back()))
                                 : "at " + instant_text(instants.front());
    std::fputs(fmt::format("{}, run {}: {} of {} crashes {}\n", scenario.name, run_label(scenario, key), options.what,
                           request.names[host], when)
                   .c_str(),
               stdout);
    std::fputs(told(all).c_str(), stdout);
    return all.wrong == 0 ? kOk : kSimulationFailed;
}

}  // namespace rnicsim::runner
