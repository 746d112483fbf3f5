// SPDX-License-Identifier: Apache-2.0
#include "testbench/sweep/sweep.h"

#include "testbench/results/journal.h"
#include "testbench/results/output_folder.h"
#include "testbench/results/shard_record.h"
#include "testbench/results/text.h"
#include "testbench/sweep/progress.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>

namespace rnicsim::runner {
namespace {

/// How the runs ended that were not finished before.
struct Execution {
    std::size_t resumed = 0;
    std::size_t finished = 0;
    std::size_t failed = 0;
    std::size_t died = 0;
    bool interrupted = false;
    double seconds = 0;
    std::uint64_t data_frames = 0;
};

std::string describe_run(const Scenario& scenario, const RunKey& key) {
    return "run " + run_label(scenario, key) + " (" + point_label(scenario.points.at(key.point).values) + ", " +
           scenario.variants.names.at(key.variant) + ", repetition " + std::to_string(key.repetition) + ")";
}

/// The runs that this call is about: all of them, or the shard's.
std::vector<RunKey> wanted_runs(const Scenario& scenario, const std::optional<Shard>& shard) {
    std::vector<RunKey> keys = all_runs(scenario);
    if (!shard) return keys;
    std::vector<RunKey> share;
    for (std::size_t run = 0; run < keys.size(); ++run) {
        if (shard->has(run)) share.push_back(keys[run]);
    }
    return share;
}

/// The label of the run to observe, which is simulated even if it was finished before.
std::optional<std::string> observed_run(const Scenario& scenario, const std::vector<RunKey>& keys,
                                        const SweepOptions& options) {
    if (!options.observe.any()) return std::nullopt;
    if (keys.empty()) return std::nullopt;  // of a shard without runs
    if (options.observed.empty()) return run_label(scenario, run_to_look_at(scenario, keys));
    if (find_run(scenario, keys, options.observed)) return options.observed;
    throw ScenarioError("--observe-run " + options.observed + ": there is no such run" +
                        (options.shard ? " in this shard" : "") + "; expected one of " +
                        run_label(scenario, keys.front()) + " .. " + run_label(scenario, keys.back()) +
                        ", as the files in OUT/runs are called");
}

std::uint64_t tape_unused(const RunResult& result) {
    const auto found = std::ranges::find(result.counters, kTapeUnused, &std::pair<std::string, std::uint64_t>::first);
    return found == result.counters.end() ? 0 : found->second;
}

Execution execute(const Scenario& scenario, const std::vector<RunKey>& keys, const SweepOptions& options,
                  const Journal& journal, const Simulate& simulate, const std::function<bool()>& interrupted) {
    Execution execution;
    std::vector<RunKey> waiting;
    std::vector<RunRequest> requests;
    const std::optional<std::string> observed = observed_run(scenario, keys, options);
    for (const RunKey& key : keys) {
        const bool observe = run_label(scenario, key) == observed;
        if (!observe && journal.read(key)) {
            ++execution.resumed;
            continue;
        }
        waiting.push_back(key);
        requests.emplace_back(run_config(scenario, key.point, key.variant, key.repetition));
        requests.back().records = journal.records(key);
        if (observe) requests.back().observe = options.observe;
    }
    if (execution.resumed > 0) spdlog::info("{} of {} runs finished before", execution.resumed, keys.size());

    Progress progress(keys.size(), execution.resumed, !options.quiet && stderr_is_terminal());
    const auto on_end = [&](const std::size_t run, const RunOutcome& outcome) {
        const RunKey& key = waiting.at(run);
        switch (outcome.kind) {
            case RunOutcome::Kind::finished:
                journal.write(key, outcome.result);
                if (const std::uint64_t unused = tape_unused(outcome.result); unused > 0) {
                    progress.clear();
                    spdlog::warn("{}: {} of the tape did not come up", describe_run(scenario, key),
                                 counted(unused, "fault"));
                }
                ++execution.finished;
                break;
            case RunOutcome::Kind::failed:
                progress.clear();
                spdlog::error("{} failed:\n{}", describe_run(scenario, key), outcome.message);
                ++execution.failed;
                break;
            case RunOutcome::Kind::refused: progress.clear(); throw output_error(outcome.message, outcome.error);
            case RunOutcome::Kind::died:
                progress.clear();
                spdlog::error("the worker of {} was lost: {}", describe_run(scenario, key), outcome.message);
                ++execution.died;
                break;
        }
        progress.run_ended(outcome.result.data_frames);
    };
    const auto forget_unfinished = [&] {  // what they have recorded so far
        for (const RunKey& key : waiting) journal.forget_records(key);
    };
    try {
        const PoolEnd end = run_pool(requests, options.jobs, simulate, {on_end, [&] { progress.show(); }, interrupted});
        execution.interrupted = end == PoolEnd::interrupted;
    } catch (...) {
        forget_unfinished();
        throw;
    }
    forget_unfinished();
    execution.seconds = progress.elapsed_seconds();
    execution.data_frames = progress.data_frames();
    return execution;
}

/// How many of these runs have a file.
std::size_t kept(const Journal& journal, const std::vector<RunKey>& keys) {
    return static_cast<std::size_t>(std::ranges::count_if(keys, [&](const RunKey& key) {
        std::error_code ignored;
        return std::filesystem::exists(journal.file(key), ignored);
    }));
}

std::string state_of(const std::size_t done, const std::size_t total, const std::filesystem::path& runs) {
    return std::to_string(done) + " of " + std::to_string(total) + " runs are finished and kept in " + runs.string();
}

/// Says why there are no results and how to get them.
ExitCode report_incomplete(const Execution& execution, const std::size_t total, const std::filesystem::path& out) {
    const std::string state = state_of(execution.resumed + execution.finished, total, out / "runs");
    if (execution.interrupted) {
        spdlog::warn("interrupted: {}; the same command continues from there", state);
        return kInterrupted;
    }
    if (execution.failed > 0) {
        spdlog::error("no results: {} failed; {}", counted(execution.failed, "run"), state);
        return kSimulationFailed;
    }
    spdlog::error(
        "results incomplete: lost {}; {}; the same command continues from there, with fewer --jobs "
        "if memory was short",
        counted(execution.died, "worker"), state);
    return kIncomplete;
}

std::string cost_line(const Execution& execution) {
    if (execution.finished == 0) {
        return "nothing new: " + counted(execution.resumed, "run") + " finished before (--fresh simulates all again)";
    }
    const double rate = static_cast<double>(execution.data_frames) / execution.seconds;
    std::string text = counted(execution.finished, "run") + " in " + duration(execution.seconds) + ", " +
                       grouped(static_cast<std::uint64_t>(rate)) + " data frames/s";
    if (execution.resumed > 0) text += "; " + counted(execution.resumed, "run") + " finished before";
    return text;
}

/// Prints of which run the files of observers are.
void print_observed(const Scenario& scenario, const std::vector<RunKey>& keys, const SweepOptions& options) {
    const std::optional<std::string> run = observed_run(scenario, keys, options);
    if (!run || options.quiet) return;
    const ObserveRequest& asked = options.observe;
    std::string files;
    for (const std::string& file :
         {asked.capture, asked.events, asked.trace, asked.series, asked.signals, asked.tape}) {
        if (!file.empty()) files += (files.empty() ? "" : ", ") + file;
    }
    std::fputs((files + ": of run " + *run + '\n').c_str(), stdout);
}

/// The record of a shard that may have been interrupted: its cost is that of all calls.
ShardRecord continued_record(const Scenario& scenario, const SweepOptions& options) {
    ShardRecord record = make_record(scenario, *options.shard, options.jobs);
    if (options.fresh) return record;
    for (const ShardRecord& earlier : read_records(options.out)) {
        if (earlier.shard == record.shard && earlier.identity == record.identity) {
            record.wall_seconds = earlier.wall_seconds;
        }
    }
    return record;
}

void print_shard(const Scenario& scenario, const SweepOptions& options, const std::size_t runs,
                 const Execution& execution) {
    const std::string text = "shard " + options.shard->label() + " of " + scenario.name + ": " + std::to_string(runs) +
                             " of " + std::to_string(all_runs(scenario).size()) + " runs, kept in " +
                             (options.out / "runs").string() + "; `rnicsim merge` makes the results of all shards\n" +
                             cost_line(execution) + '\n';
    std::fputs(text.c_str(), stdout);
}

/// With the folder locked.
ExitCode sweep_into(const OutputFolder& folder, const Journal& journal, const std::vector<RunKey>& keys,
                    const Scenario& scenario, const SweepOptions& options, const Simulate& simulate,
                    const std::function<bool()>& interrupted) {
    if (!options.shard) journal.clear_unfinished();
    if (options.fresh && !options.shard) journal.clear();
    if (options.fresh && options.shard) std::ranges::for_each(keys, [&](const RunKey& key) { journal.remove(key); });
    set_products_aside(folder.path());

    std::optional<ShardRecord> record;
    if (options.shard) {
        record = continued_record(scenario, options);
        write_record(folder.path(), *record);  // before any run: a merge then knows the shard even if it is killed
    }
    const Execution execution = execute(scenario, keys, options, journal, simulate, interrupted);
    if (record) {
        record->wall_seconds += execution.finished > 0 ? execution.seconds : 0;
        write_record(folder.path(), *record);
    }
    if (execution.resumed + execution.finished < keys.size()) {
        return report_incomplete(execution, keys.size(), folder.path());
    }
    print_observed(scenario, keys, options);
    if (options.shard) {
        if (!options.quiet) print_shard(scenario, options, keys.size(), execution);
        return kOk;
    }
    const CallInfo call{options.overrides, options.jobs, execution.resumed, execution.seconds, {}};
    return show_products(scenario, options, write_products(scenario, options, journal, call), cost_line(execution));
}

}  // namespace

ExitCode run_sweep(const Scenario& scenario, const SweepOptions& options, const Simulate& simulate,
                   const std::function<bool()>& interrupted) {
    const OutputFolder folder(options.out, options.shard);
    const Journal journal(scenario, folder.path());
    const std::vector<RunKey> keys = wanted_runs(scenario, options.shard);
    try {
        return sweep_into(folder, journal, keys, scenario, options, simulate, interrupted);
    } catch (const OutputError& error) {
        throw OutputError(std::string(error.what()) + "; " +
                          state_of(kept(journal, keys), keys.size(), journal.folder()) +
                          "; the same command continues from there");
    }
}

}  // namespace rnicsim::runner
