#include "testbench/runner/sweep.h"

#include "testbench/runner/journal.h"
#include "testbench/runner/manifest.h"
#include "testbench/runner/output_folder.h"
#include "testbench/runner/plot.h"
#include "testbench/runner/progress.h"
#include "testbench/runner/summary.h"
#include "testbench/runner/summary_csv.h"
#include "testbench/runner/table.h"
#include "testbench/runner/text.h"

#include <spdlog/spdlog.h>

#include <cstdio>
#include <system_error>

namespace rnicsim::runner {
namespace {

/// What became of the runs that were not finished before.
struct Execution {
    std::size_t resumed = 0;
    std::size_t finished = 0;
    std::size_t failed = 0;
    std::size_t died = 0;
    bool interrupted = false;
    double seconds = 0;
    std::uint64_t data_frames = 0;
};

/// Removes what an earlier call left, so that a summary in the folder is always that of its newest complete run.
void remove_products(const std::filesystem::path& out) {
    for (const char* const name : {"summary.csv", "transfers.csv", "manifest.json", "plot.png", "plot.svg"}) {
        std::error_code error;
        std::filesystem::remove(out / name, error);
        if (error) throw OutputError((out / name).string() + ": cannot be removed: " + error.message());
    }
}

std::string describe_run(const Scenario& scenario, const RunKey& key) {
    return "run " + run_label(key) + " (" + point_label(scenario.points.at(key.point).values) + ", " +
           std::string(method_name(key.method)) + ", repetition " + std::to_string(key.repetition) + ")";
}

Execution execute(const Scenario& scenario, const SweepOptions& options, const Journal& journal,
                  const Simulate& simulate, const std::function<bool()>& interrupted) {
    Execution execution;
    const std::vector<RunKey> keys = all_runs(scenario);
    std::vector<RunKey> waiting;
    std::vector<RunConfig> configs;
    for (const RunKey& key : keys) {
        if (journal.read(key)) {
            ++execution.resumed;
            continue;
        }
        waiting.push_back(key);
        configs.push_back(run_config(scenario, key.point, key.method, key.repetition));
    }
    if (execution.resumed > 0) spdlog::info("{} of {} runs were finished before", execution.resumed, keys.size());

    Progress progress(keys.size(), execution.resumed, !options.quiet && stderr_is_terminal());
    const auto on_end = [&](const std::size_t run, const RunOutcome& outcome) {
        const RunKey& key = waiting.at(run);
        switch (outcome.kind) {
            case RunOutcome::Kind::finished:
                journal.write(key, outcome.result);
                ++execution.finished;
                break;
            case RunOutcome::Kind::failed:
                progress.clear();
                spdlog::error("{} failed:\n{}", describe_run(scenario, key), outcome.message);
                ++execution.failed;
                break;
            case RunOutcome::Kind::died:
                progress.clear();
                spdlog::error("the worker of {} was lost: {}", describe_run(scenario, key), outcome.message);
                ++execution.died;
                break;
        }
        progress.run_ended(outcome.result.data_frames);
    };
    const PoolEnd end = run_pool(configs, options.jobs, simulate, {on_end, [&] { progress.show(); }, interrupted});
    execution.interrupted = end == PoolEnd::interrupted;
    execution.seconds = progress.elapsed_seconds();
    execution.data_frames = progress.data_frames();
    return execution;
}

/// Says why there are no results and how to get them.
ExitCode report_incomplete(const Execution& execution, const std::size_t total, const std::filesystem::path& out) {
    const std::size_t done = execution.resumed + execution.finished;
    const std::string state = std::to_string(done) + " of " + std::to_string(total) +
                              " runs are finished and kept in " + (out / "runs").string();
    if (execution.interrupted) {
        spdlog::warn("interrupted: {}; the same command continues from there", state);
        return kInterrupted;
    }
    if (execution.failed > 0) {
        spdlog::error("no results: {} runs failed; {}", execution.failed, state);
        return kSimulationFailed;
    }
    spdlog::error("results incomplete: {} workers were lost; {}; the same command continues from there", execution.died,
                  state);
    return kIncomplete;
}

/// Everything is in the journal: reads it in the order of the results, whoever simulated it and when.
Summary write_products(const Scenario& scenario, const SweepOptions& options, const Journal& journal,
                       const Execution& execution) {
    std::string transfers = transfers_csv_header();
    Summary summary = summarise(scenario, [&](const std::size_t point, const Method method, const std::uint32_t r) {
        std::optional<RunResult> result = journal.read({point, method, r});
        if (!result) {
            throw OutputError(journal.file({point, method, r}).string() + ": vanished while the results were compiled");
        }
        if (options.transfers_csv) transfers += transfers_csv_rows(point, method, r, *result);
        return std::move(*result);
    });
    const CallInfo call{options.overrides, options.jobs, execution.resumed, execution.seconds};
    if (options.transfers_csv) write_atomically(options.out / "transfers.csv", transfers);
    write_atomically(options.out / "manifest.json", manifest_json(scenario, summary, call));
    write_atomically(options.out / "summary.csv", summary_csv(scenario, summary));
    return summary;
}

void print_results(const Scenario& scenario, const SweepOptions& options, const Summary& summary,
                   const Execution& execution, const bool plotted) {
    std::string text = results_table(scenario, summary);
    text += options.out.string() + ": summary.csv, manifest.json";
    if (options.transfers_csv) text += ", transfers.csv";
    if (plotted) text += ", plot.png, plot.svg";
    text += '\n';
    if (execution.finished > 0) {
        const double rate = static_cast<double>(execution.data_frames) / execution.seconds;
        text += std::to_string(execution.finished) + " runs in " + duration(execution.seconds) + ", " +
                grouped(static_cast<std::uint64_t>(rate)) + " data frames/s";
        if (execution.resumed > 0) text += "; " + std::to_string(execution.resumed) + " runs were finished before";
    } else {
        text +=
            "all " + std::to_string(execution.resumed) + " runs were finished before (--fresh simulates them again)";
    }
    std::fputs((text + '\n').c_str(), stdout);
}

}  // namespace

ExitCode run_sweep(const Scenario& scenario, const SweepOptions& options, const Simulate& simulate,
                   const std::function<bool()>& interrupted) {
    const OutputFolder folder(options.out);
    const Journal journal(scenario, folder.path());
    if (options.fresh) journal.clear();
    remove_products(folder.path());

    const Execution execution = execute(scenario, options, journal, simulate, interrupted);
    const std::size_t total = all_runs(scenario).size();
    if (execution.resumed + execution.finished < total) return report_incomplete(execution, total, folder.path());

    const Summary summary = write_products(scenario, options, journal, execution);
    const bool plotted = options.plot && draw_plot(folder.path());
    if (!options.quiet) print_results(scenario, options, summary, execution, plotted);
    return kOk;
}

}  // namespace rnicsim::runner
