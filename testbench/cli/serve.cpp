// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/serve.h"

#include "model/request_error.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/cli/children.h"
#include "testbench/cli/cut.h"
#include "testbench/cli/own_network.h"
#include "testbench/cli/private_folder.h"
#include "testbench/programs/server/program_run.h"
#include "testbench/records/run_result.h"
#include "testbench/results/text.h"
#include "testbench/scenario/decimal.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace rnicsim::runner {
namespace {

/// The socket's place: as the options say, or in a folder of this run's own.
class SocketPlace {
  public:
    explicit SocketPlace(const ServeOptions& options) : path_(options.socket) {
        if (path_.empty()) path_ = folder_.emplace().socket();
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::optional<PrivateFolder> folder_;
    std::filesystem::path path_;
};

RunRequest request_of(const Scenario& scenario, const ServeOptions& options) {
    const auto refuse = [&](const char* why) { throw ScenarioError(scenario.file.string() + ": " + why); };
    if (scenario.points.size() != 1) refuse("sweeps; expected a scenario of one point for programs");
    const std::vector<RunConfig>& variants = scenario.points.front().configs;
    if (verbs_hosts(variants.front()).size() != variants.front().names.size())
        refuse("has hosts without a RoCEv2 RNIC; expected that all have one, for programs");
    if (variants.size() != 1) refuse("has variants; expected one, for programs");
    RunRequest request = variants.front();
    request.observe = options.observe;
    return request;
}

programs::CutRequest cut_request_of(const RunRequest& request, const ServeOptions& options) {
    programs::CutRequest cuts;
    cuts.reads_flush = options.reads_flush;
    cuts.replies_flush = options.replies_flush;
    const bool persists = std::ranges::any_of(verbs_ends(request),
                                              [](const VerbsEndConfig& of) { return of.host.persistence.has_value(); });
    for (const auto& [given, option] : {std::pair{options.reads_flush, "--reads-flush"},
                                        {options.replies_flush, "--replies-flush"},
                                        {!options.cut_at.empty(), "--cut-at"}}) {
        if (given && !persists)
            throw ScenarioError(std::string(option) +
                                ": no host of the scenario has persistent memory; expected system.host.persistence");
    }
    if (options.cut_at.empty()) return cuts;
    const std::optional<std::int64_t> ps = in_smallest(options.cut_at, Kind::picoseconds);
    if (!ps) throw ScenarioError("--cut-at " + options.cut_at + ": expected a time with a unit such as \"250 us\"");
    cuts.at = Time{*ps};
    return cuts;
}

/// What cannot be made is what an option asks for.
std::unique_ptr<programs::ProgramRun> made(const RunRequest& request, const std::filesystem::path& socket,
                                           const ServeOptions& options) {
    try {
        return std::make_unique<programs::ProgramRun>(request, socket, !options.free, cut_request_of(request, options));
    } catch (const RequestError& error) { throw ScenarioError(error.what()); }
}

ExitCode runs(programs::ProgramRun& run, const programs::Outside& outside) {
    try {
        run.run(outside);
        if (const std::uint64_t unused = run.unused_faults(); unused > 0)
            spdlog::warn("{} of the tape did not come up", counted(unused, "fault"));
        return kOk;
    } catch (const RunError& error) {
        spdlog::error("{}", error.what());
        return kSimulationFailed;
    }
}

/// Says what power cuts would have found.
ExitCode tell_cuts(programs::ProgramRun& run, const HostNames& names, const std::string& cut_at) {
    ExitCode code = kOk;
    for (const programs::ProgramCutReport& of : run.cuts()) {
        const std::string& host = names[of.host];
        spdlog::info("{}: {} into persistent memory, {} told durable", host, counted(of.writes, "WRITE"),
                     of.told_durable);
        for (const std::string& line : of.cut) spdlog::info("{}: a power cut at {}: {}", host, cut_at, line);
        if (of.example.empty()) continue;
        spdlog::error("false persistence: {}; {} in all", of.example,
                      counted(of.report.of(CutState::false_persistence).messages, "WRITE"));
        code = kSimulationFailed;
    }
    return code;
}

/// Where libibverbs.so.1 and what it needs lie, beside this program.
std::filesystem::path library_folder() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" / "programs";
}

}  // namespace

ExitCode serve(const Scenario& scenario, const ServeOptions& options, const std::function<bool()>& interrupted) {
    const RunRequest request = request_of(scenario, options);
    const SocketPlace socket(options);
    const auto run = made(request, socket.path(), options);
    spdlog::info("programs find it with RNICSIM_SOCKET={} LD_LIBRARY_PATH={}", socket.path().string(),
                 library_folder().string());
    const ExitCode code = runs(*run, {interrupted, {}, {}});
    return code == kOk ? tell_cuts(*run, request.names, options.cut_at) : code;
}

int execute(const Scenario& scenario, const ServeOptions& options, const std::vector<ProgramOnHost>& programs,
            const std::function<bool()>& interrupted) {
    const RunRequest request = request_of(scenario, options);
    for (const ProgramOnHost& program : programs) {
        if (!request.names.find(program.host))
            throw ScenarioError("--on " + program.host + ": expected a host of " + scenario.file.string());
    }
    std::vector<ProgramOnHost> begun = programs;
    for (std::size_t i = 1; i < begun.size(); ++i) begun[i].joins = begun[i].joins || options.together;
    std::vector<bool> until = named(programs, options.until);
    if (!options.machine_network && !take_own_network())
        spdlog::info("nobody may make networks on this machine: programs have its ports, and another run needs others");
    const SocketPlace socket(options);
    const auto run = made(request, socket.path(), options);
    Children children(begun, std::move(until), socket.path(), library_folder());
    const ExitCode code = runs(*run, {[&] { return interrupted() || children.over(run->server()); },
                                      [&] { return children.quiet(); }, [&] { return children.holds(run->server()); }});
    if (code != kOk) return code;
    spdlog::info("the simulation ends after {} and {} requests", instant_text(current_time()),
                 run->server().requests());
    const ExitCode told = tell_cuts(*run, request.names, options.cut_at);
    if (interrupted()) return kInterrupted;
    return children.code() != 0 ? children.code() : told;
}

}  // namespace rnicsim::runner
