// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/shrink.h"

#include "testbench/cli/commands.h"
#include "testbench/cli/look_options.h"
#include "testbench/results/journal.h"
#include "testbench/results/output_folder.h"
#include "testbench/results/text.h"
#include "testbench/sweep/progress.h"
#include "testbench/tape/tape_text.h"
#include "testbench/workloads/work_kind.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace rnicsim::runner {
namespace {

/// The search ends before it is done.
struct Stopped {
    std::string why;
    ExitCode code;
};

[[noreturn]] void stop_for_lost_worker(const RunOutcome& outcome) {
    throw Stopped{"a worker was lost: " + outcome.message, kIncomplete};
}

/// Did a transfer end in an error, or was a message of verbs lost? One that failed has not arrived either. Frames of
/// plain hosts have nobody who would call their loss an error.
bool shows_error(const RunConfig& config, const RunResult& result) {
    return std::ranges::any_of(result.samples, [&](const Sample& of) {
        return of.failed() && !sample_kind(config.traffic.at(of.item)).may_be_lost;
    });
}

/// What a run has to show.
class Wanted {
  public:
    explicit Wanted(const std::string& text) : text_(text) {
        if (text == "failure" || text == "error") return;
        const std::size_t at = text.find(">=");
        const std::string_view digits = at == std::string::npos ? "" : std::string_view(text).substr(at + 2);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), least_);
        if (at == std::string::npos || error != std::errc{} || end != digits.data() + digits.size()) {
            throw ScenarioError("--wanted " + text +
                                ": expected failure, error, or a counter such as b.transport.buffer_full>=1");
        }
        counter_ = text.substr(0, at);
    }

    [[nodiscard]] bool operator()(const RunConfig& config, const RunOutcome& outcome) const {
        if (counter_.empty()) {
            if (text_ == "failure") return outcome.kind == RunOutcome::Kind::failed;
            return shows_error(config, outcome.result);
        }
        if (outcome.kind != RunOutcome::Kind::finished) return false;
        const auto& counters = outcome.result.counters;
        const auto found = std::ranges::find(counters, counter_, &std::pair<std::string, std::uint64_t>::first);
        if (found == counters.end()) {
            throw ScenarioError("--wanted " + text_ + ": there is no such counter; summary.csv names all of them");
        }
        return found->second >= least_;
    }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_;
    std::string counter_;
    std::uint64_t least_ = 0;
};

/// Tries tapes, several at once.
class Trials {
  public:
    Trials(RunConfig config, const Wanted& wanted, unsigned jobs, const Simulate& simulate,
           const std::function<bool()>& interrupted)
        : config_(std::move(config)), wanted_(wanted), jobs_(jobs), simulate_(simulate), interrupted_(interrupted) {}

    /// The first of these tapes that shows what is wanted.
    std::optional<std::size_t> first(const std::vector<FaultTape>& tapes) {
        std::vector<bool> shows(tapes.size());
        // In groups as large as the pool: tapes behind the first that shows it need not be run.
        for (std::size_t begin = 0; begin < tapes.size(); begin += jobs_) {
            const std::size_t end = std::min<std::size_t>(begin + jobs_, tapes.size());
            std::vector<RunRequest> configs(end - begin, config_);
            for (std::size_t i = begin; i < end; ++i) {
                configs[i - begin].tape = std::make_shared<const FaultTape>(tapes[i]);
            }
            const auto on_end = [&](std::size_t run, const RunOutcome& outcome) {
                ++runs_;
                if (outcome.kind == RunOutcome::Kind::died || outcome.kind == RunOutcome::Kind::refused)
                    stop_for_lost_worker(outcome);
                shows[begin + run] = wanted_(config_, outcome);
            };
            const PoolCallbacks callbacks{on_end, [] {}, interrupted_};
            if (run_pool(configs, jobs_, simulate_, callbacks) == PoolEnd::interrupted) {
                throw Stopped{"interrupted", kInterrupted};
            }
            for (std::size_t i = begin; i < end; ++i) {
                if (shows[i]) return i;
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] std::size_t runs() const { return runs_; }

  private:
    RunConfig config_;
    const Wanted& wanted_;
    unsigned jobs_;
    const Simulate& simulate_;
    const std::function<bool()>& interrupted_;
    std::size_t runs_ = 0;
};

/// The tape in `parts` parts of equal size: each alone, then all but each.
std::vector<FaultTape> pieces_of(const FaultTape& tape, std::size_t parts) {
    std::vector<FaultTape> alone;
    std::vector<FaultTape> without;
    for (std::size_t part = 0; part < parts; ++part) {
        const auto from = tape.begin() + static_cast<std::ptrdiff_t>(tape.size() * part / parts);
        const auto to = tape.begin() + static_cast<std::ptrdiff_t>(tape.size() * (part + 1) / parts);
        alone.emplace_back(from, to);
        FaultTape& rest = without.emplace_back(tape.begin(), from);
        rest.insert(rest.end(), to, tape.end());
    }
    if (parts > 2) alone.insert(alone.end(), without.begin(), without.end());  // of two parts these are the same
    return alone;
}

/// Takes off faults that are not needed. `tape` holds the smallest tape so far, also if the search is stopped.
void minimise(FaultTape& tape, Trials& trials) {
    if (tape.empty()) return;
    if (trials.first({FaultTape{}})) {
        tape.clear();
        return;
    }
    std::size_t parts = 2;
    while (tape.size() >= 2) {
        parts = std::min(parts, tape.size());
        const std::vector<FaultTape> pieces = pieces_of(tape, parts);
        if (const std::optional<std::size_t> found = trials.first(pieces)) {
            const bool alone = *found < parts;
            tape = pieces[*found];
            parts = alone ? 2 : std::max<std::size_t>(2, parts - 1);
            spdlog::info("{} faults left after {} runs", tape.size(), trials.runs());
        } else if (parts == tape.size()) {
            break;
        } else {
            parts *= 2;
        }
    }
}

/// Removed at the end.
struct TemporaryFile {
    explicit TemporaryFile(std::string file) : name(std::move(file)) {}
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        std::error_code gone;
        std::filesystem::remove(name, gone);
    }
    const std::string name;
};

/// What goes wrong in the run by itself, as a file.
void record(RunRequest config, const std::string& file, const Simulate& simulate,
            const std::function<bool()>& interrupted) {
    config.observe.tape = file;
    std::string failure;
    const auto on_end = [&](std::size_t, const RunOutcome& outcome) {
        if (outcome.kind == RunOutcome::Kind::died || outcome.kind == RunOutcome::Kind::refused)
            stop_for_lost_worker(outcome);
        failure = outcome.message;
    };
    if (run_pool({config}, 1, simulate, {on_end, [] {}, interrupted}) == PoolEnd::interrupted) {
        throw Stopped{"interrupted", kInterrupted};
    }
    std::error_code unknown;  // a device has no size: load_tape_text() reports what is wrong with it
    if (std::filesystem::file_size(file, unknown) == 0) throw OutputError("the tape was not recorded: " + failure);
}

}  // namespace

ExitCode shrink(const Scenario& scenario, const ShrinkOptions& options, const Simulate& simulate,
                const std::function<bool()>& interrupted) {
    const Wanted wanted(options.wanted);
    check_file("--out", options.out, {".tape"});
    const RunKey key = chosen_run(scenario, options.run, "--run");
    const RunConfig config = run_config(scenario, key.point, key.variant, key.repetition);
    const TapeNames names(config);
    Trials trials(config, wanted, options.jobs, simulate, interrupted);
    FaultTape given;
    FaultTape left;
    std::optional<Stopped> stopped;
    try {
        if (options.tape.empty()) {
            // Beside --out: that may hold an earlier tape, which only a better one replaces.
            const TemporaryFile recording(options.out + ".recording");
            record(config, recording.name, simulate, interrupted);
            given = read_tape(load_tape_text(recording.name), recording.name, names);
        } else {
            given = read_tape(load_tape_text(options.tape), options.tape, names);
        }
        if (!trials.first({given})) {
            spdlog::error(
                "run {} does not show '{}' with all {} faults of the tape; nothing to shrink (--run names the run that "
                "it is of)",
                run_label(scenario, key), wanted.text(), given.size());
            return kSimulationFailed;
        }
        left = given;
        minimise(left, trials);
    } catch (const Stopped& early) { stopped = early; }
    if (stopped && left.size() == given.size()) {
        spdlog::warn("{}: no fault was left out yet; the same command begins anew", stopped->why);
        return stopped->code;
    }
    const std::string text = write_tape(left, names);
    std::fputs(text.c_str(), stdout);  // first: there it is kept whatever becomes of the file
    write_atomically(options.out, text);
    if (stopped) {
        spdlog::warn("{}: {}: {} of {} faults are left so far; --tape {} goes on from there", stopped->why, options.out,
                     left.size(), given.size(), options.out);
        return stopped->code;
    }
    spdlog::info("{}: {} of {} faults are enough for '{}' in run {}; {} runs", options.out, left.size(), given.size(),
                 wanted.text(), run_label(scenario, key), trials.runs());
    return kOk;
}

}  // namespace rnicsim::runner
