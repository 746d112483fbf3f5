// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/command_line.h"

#include "model/rnic/drp/end/end_config.h"
#include "testbench/cli/axes.h"
#include "testbench/cli/commands.h"
#include "testbench/cli/compare.h"
#include "testbench/cli/first_offence.h"
#include "testbench/cli/options.h"
#include "testbench/cli/report.h"
#include "testbench/cli/system_graph.h"
#include "testbench/results/build_info.h"
#include "testbench/results/output_folder.h"
#include "testbench/scenario/old_names.h"
#include "testbench/sweep/interrupt.h"
#include "testbench/sweep/merge.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace rnicsim::runner {
namespace {

constexpr const char* kFooter = R"(
Exit codes:
  0    everything asked for was done
  1    a simulation failed: an invariant was violated or the watchdog fired (its diagnosis is printed), or a file
       that looks inside it could not be written.
       cosim: models and Verilog differ; compare: A and B differ (where, is printed)
       explore: a rule of the protocol can be broken (how, is printed)
       cut, crash: an initiator was told that data are durable which are lost
  2    bad input: a scenario, an option, or an output folder that cannot be written
  3    results incomplete for a reason outside the simulation, e.g. a worker was killed; the same command continues.
       cosim: one side crashed, which is no difference. merge: runs are missing. explore: --max-states ended a search
  4    the results are written, but in some run all transfers failed (the counters that explain it are printed);
       a shard leaves that to `rnicsim merge`
  130  interrupted (Ctrl-C, SIGTERM); finished runs are kept, the same command continues

Examples:
  rnicsim validate scenarios/paper/*.yaml
  rnicsim run scenarios/paper/fig6_joint.yaml --jobs 8
  rnicsim run scenarios/paper/fig6_joint.yaml --seed 7 --out results/fig6_seed7
  rnicsim sweep my.yaml --axis "system.link.loss=0 %,1 %,5 %" --transfers-csv
  rnicsim sweep my.yaml --axis "system.link.loss=0 %..10 %:1 %" --axis system.rnic.drp.window=4,8,16
  rnicsim sweep my.yaml --axis "system.link.loss,system.rnic.drp.request_timer=[0 %, 2.4 ms],[5 %, 4.8 ms]"
  rnicsim run my.yaml --shard 2/4 --out share2          (four computers, one share each), then
  rnicsim merge my.yaml share1 share2 share3 share4 --out results/my
  rnicsim cosim scenarios/examples/read.yaml --set simulation.frame_filter=rtl
  rnicsim explain scenarios/paper/fig6_joint.yaml --run p003_dynamic_r0 --transfer 7 --draw ladder.svg
  rnicsim explain scenarios/verbs/loss.yaml --run p006_none_r0 --transfer a.q0.30
  rnicsim run my.yaml --pcap my.pcapng --events my.csv --trace my.json --observe-window "0 ms..5 ms"
  rnicsim run my.yaml --record-tape my.tape             what goes wrong in a run, a fault a line; then
  rnicsim run my.yaml --tape my.tape                    the same again, or what you make of it
  rnicsim shrink my.yaml --out less.tape --wanted error   the fewest faults with which a transfer fails
  rnicsim cut scenarios/persistence/chances.yaml --run p002_none_r0 --csv cuts.csv
  rnicsim cut scenarios/persistence/bad/n1.yaml --at "12.5 us"
  rnicsim crash scenarios/persistence/chances.yaml --run p002_none_r0 --what system
  rnicsim explore --operation read --faults 3
  rnicsim explore --personality rc --ops write,read --retransmission selective_repeat
  rnicsim explore --application plasma --set run.plasma.protocol=read
  rnicsim explore --personality ntb --policy H2
  rnicsim workloads plasma --scenario > my.yaml
  rnicsim describe --keys
  rnicsim run my.yaml --profile my_nic.yaml --set system.rnic.profile=my_nic
  rnicsim compare my.yaml --set-b system.rnic.drp.window=4 --html window.html
  rnicsim compare my.yaml --program-b ../other/build/release/bin/rnicsim --tolerance "1 %"
  rnicsim compare results/before results/after
  rnicsim report results/paper)";

void set_up_log(const std::string& level) {
    auto logger = std::make_shared<spdlog::logger>("rnicsim", std::make_shared<spdlog::sinks::stderr_color_sink_st>());
    logger->set_pattern("%^%l%$: %v");
    logger->set_level(spdlog::level::from_str(level));
    spdlog::set_default_logger(std::move(logger));
}

std::vector<AxisOption> axes(const Arguments& arguments) {
    std::vector<AxisOption> result;
    for (const std::string& text : arguments.axes) result.push_back(parse_axis(text));
    return result;
}

std::vector<Override> overrides(const Arguments& arguments) {
    std::vector<Override> result;
    for (const std::string& text : arguments.sets) result.push_back(parse_override(text));
    if (!arguments.seed.empty()) result.emplace_back("simulation.seed", arguments.seed);
    for (auto later = result.begin(); later != result.end(); ++later) {
        const auto same = [&](const Override& o) { return named_now(o.first) == named_now(later->first); };
        if (std::any_of(result.begin(), later, same)) {
            throw ScenarioError("--set " + later->first + ": given twice, expected once (--seed is simulation.seed)");
        }
    }
    return result;
}

/// The scenario with all that the options say about it; completes the options of its products.
Scenario scenario_of(Arguments& arguments, bool for_programs = false) {
    ProductOptions& options = arguments.sweep;
    options.overrides = overrides(arguments);
    options.plot = !arguments.no_plot;
    Scenario scenario =
        load(arguments.scenario, options.overrides, axes(arguments), {for_programs, !arguments.tape.empty()});
    play_tape(scenario, arguments.tape);
    if (options.out.empty()) options.out = std::filesystem::path("results") / scenario.name;
    return scenario;
}

/// For a comparison with Verilog: where the scenario names none, all of it.
Scenario scenario_with_verilog(const Arguments& arguments) {
    std::vector<Override> given = overrides(arguments);
    const Purpose purpose{false, !arguments.tape.empty()};
    Scenario scenario = load(arguments.scenario, given, axes(arguments), purpose);
    if (has_verilog(scenario)) return scenario;
    check_has_drp(scenario);
    given.emplace_back("simulation.rnic", "rtl");
    given.emplace_back("simulation.rnic_core", "rtl");
    try {
        return load(arguments.scenario, given, axes(arguments), purpose);
    } catch (const ScenarioError& e) {
        throw ScenarioError(std::string("the scenario puts no block in Verilog, so cosim takes all, and that asks too "
                                        "much of them; choose some, e.g. with --set simulation.gmac=rtl: ") +
                            e.what());
    }
}

ExitCode simulate_scenario(Arguments& arguments, const bool demand_sweep, const Simulate& simulate,
                           const Record& record) {
    const InterruptGuard guard;
    if (arguments.shard) arguments.sweep.shard = parse_shard(*arguments.shard);
    arguments.sweep.observe = observe_request(arguments.observe);
    arguments.sweep.observed = arguments.observe.run;
    if (!arguments.tape.empty() && std::filesystem::exists(arguments.sweep.observe.tape) &&
        std::filesystem::equivalent(arguments.tape, arguments.sweep.observe.tape)) {
        throw ScenarioError("--record-tape " + arguments.tape + ": is the tape to be played; expected another file");
    }
    const Scenario scenario = scenario_of(arguments);
    if (!arguments.sweep.observe.signals.empty() && !has_drp(scenario.points.front().configs.front())) {
        throw ScenarioError("--vcd " + arguments.sweep.observe.signals +
                            ": has waveforms of DRP RNICs, and here is none; expected --trace or --events");
    }
    if (demand_sweep && scenario.points.front().values.empty()) {
        throw ScenarioError(scenario.file.string() +
                            ": the scenario sweeps nothing; add --axis KEY=V1,V2, or use `rnicsim run`");
    }
    const ExitCode code = run_sweep(scenario, arguments.sweep, simulate, [&] { return guard.interrupted(); });
    if (code == kSimulationFailed) show_first_offence(scenario, Journal(scenario, arguments.sweep.out), record);
    return code;
}

ExitCode describe_command(const Arguments& arguments) {
    if (arguments.keys) std::fputs(scenario_reference_markdown().c_str(), stdout);
    if (arguments.scenarios.empty()) {
        if (arguments.keys) return kOk;
        throw ScenarioError("describe: a scenario file or --keys is required");
    }
    const Scenario scenario = load(arguments.scenarios.front(), overrides(arguments), axes(arguments));
    if (!arguments.drawing.empty()) draw_system(arguments.drawing, scenario);
    return describe(scenario);
}

ExitCode cosim_command(const Arguments& arguments, const Record& record) {
    Scenario scenario = scenario_with_verilog(arguments);
    play_tape(scenario, arguments.tape);
    return cosimulate(scenario, record, wave_request(arguments.wave), arguments.wave.run, arguments.streams);
}

Scenario scenario_with_tape(const Arguments& arguments, bool for_programs = false) {
    Scenario scenario =
        load(arguments.scenario, overrides(arguments), axes(arguments), {for_programs, !arguments.tape.empty()});
    play_tape(scenario, arguments.tape);
    return scenario;
}

ExitCode explain_command(const Arguments& arguments, const Record& record) {
    const Scenario scenario = scenario_with_tape(arguments, !arguments.explain.recording.empty());
    return explain(scenario, arguments.explain, record);
}

ExitCode shrink_command(Arguments& arguments, const Simulate& simulate) {
    const InterruptGuard guard;
    arguments.shrink.jobs = arguments.sweep.jobs;
    return shrink(load(arguments.scenario, overrides(arguments), axes(arguments), {false, true}), arguments.shrink,
                  simulate, [&] { return guard.interrupted(); });
}

ExitCode cut_command(const Arguments& arguments, const Simulate& simulate) {
    const Scenario scenario = scenario_with_tape(arguments);
    return cut(scenario, arguments.cut, simulate);
}

ExitCode crash_command(Arguments& arguments, const Simulate& simulate) {
    const Scenario scenario = scenario_with_tape(arguments);
    arguments.crash.jobs = arguments.sweep.jobs;
    return crash(scenario, arguments.crash, simulate);
}

ExitCode merge_command(Arguments& arguments) {
    const Scenario scenario = scenario_of(arguments);
    return merge_shards(scenario, arguments.sweep, arguments.folders);
}

ExitCode schema_command(const Arguments& arguments) {
    std::fputs((arguments.profile_schema ? profile_json_schema() : scenario_json_schema()).c_str(), stdout);
    return kOk;
}

struct Command {
    CLI::App* app;
    std::function<ExitCode()> act;
};

/// In the order of the help. What they refer to has to outlive them.
std::vector<Command> add_commands(CLI::App& app, Arguments& arguments, const Simulate& simulate, const Record& record,
                                  const Record& record_strictly) {
    std::vector<Command> commands;
    const auto add = [&](const char* name, const char* what, void (*add_options)(CLI::App&, Arguments&),
                         std::function<ExitCode()> act) -> CLI::App& {
        CLI::App& command = *app.add_subcommand(name, what);
        command.footer(kFooter);
        if (add_options != nullptr) add_options(command, arguments);
        commands.push_back({&command, std::move(act)});
        return command;
    };
    add("run", "Simulate every point, method and repetition of a scenario", add_sweep_options,
        [&] { return simulate_scenario(arguments, false, simulate, record); });
    CLI::App& sweep = add("sweep", "The same for a scenario that sweeps, or with axes from here", add_sweep_options,
                          [&] { return simulate_scenario(arguments, true, simulate, record); });
    add_axis_option(sweep, arguments);
    add("merge", "Make the results of a sweep from the runs of its shards", add_merge_options,
        [&] { return merge_command(arguments); });
    add("validate", "Check scenario files without simulating", add_validate_options, [&] {
        return validate(arguments.scenarios, overrides(arguments), axes(arguments), {arguments.programs, false});
    });
    add("describe", "Print the composed system with every resolved parameter", add_describe_options,
        [&] { return describe_command(arguments); });
    add("workloads",
        "List the kinds of work that items of traffic can be, or tell all about one: keys, parts, a scenario",
        add_workloads_options, [&] { return workloads(arguments.workloads); });
    add("schema", "Print the JSON Schema of scenarios or profiles, for editors", add_schema_options,
        [&] { return schema_command(arguments); });
    add("cosim",
        "Simulate every run with models and with Verilog, and compare them event by event; where the scenario puts no "
        "block in Verilog, all are",
        add_cosim_options, [&] { return cosim_command(arguments, record_strictly); });
    add("explain", "Show what happens to one transfer or message, as a ladder", add_explain_options,
        [&] { return explain_command(arguments, record); });
    add("shrink", "Find the fewest faults with which a run still fails, or shows something else", add_shrink_options,
        [&] { return shrink_command(arguments, simulate); });
    add("cut", "What a power cut of a host would lose of items with a scheme, at all instants of a run or at one",
        add_cut_options, [&] { return cut_command(arguments, simulate); });
    add("crash",
        "What of items with a scheme is durable when their initiator has crashed, at all instants of a run or at one",
        add_crash_options, [&] { return crash_command(arguments, simulate); });
    add("explore", "Try every order of events of small workloads, and hold the protocol's rules against each",
        add_explore_options, [&] { return explore(arguments.explore); });
#ifdef RNICSIM_HAS_PROGRAMS
    add("serve", "Let programs of this machine use the RNICs of a scenario's hosts", add_serve_options, [&] {
        const InterruptGuard guard;
        arguments.serve.observe = observe_request(arguments.observe);
        return serve(scenario_of(arguments, true), arguments.serve, [&] { return guard.interrupted(); });
    });
    CLI::App& exec = add("exec", "Run programs on hosts of a scenario: --on HOST -- PROGRAM ARGUMENTS, once or more",
                         add_exec_options, [&] {
                             const InterruptGuard guard;
                             arguments.serve.observe = observe_request(arguments.observe);
                             const auto programs = programs_of(app.get_subcommand("exec")->remaining());
                             return static_cast<ExitCode>(execute(scenario_of(arguments, true), arguments.serve,
                                                                  programs, [&] { return guard.interrupted(); }));
                         });
    exec.allow_extras()->prefix_command()->fallthrough(false);
#endif
    add("report", "Make DIR/report.html of the output folders in DIR", add_report_options,
        [&] { return make_report(arguments.report); });
    CLI::App& compare = add("compare",
                            "Compare two scenarios, settings, builds or output folders run by run; `rnicsim compare "
                            "--help` has its options",
                            nullptr, [&app] { return compare_results(app.get_subcommand("compare")->remaining()); });
    compare.set_help_flag();  // the script declares the options: all is for it
    compare.allow_extras()->fallthrough(false);
    add("version", "Print the version, git revision, compiler and SystemC", nullptr, print_version);
    return commands;
}

/// What `act` returns. Prints an error that ends it, and returns its exit code.
int exit_code_of(const CLI::App& app, const std::function<int()>& act) {
    try {
        return act();
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);  // --help
        spdlog::error("{} (rnicsim --help explains every option)", e.what());
        return kBadInput;
    } catch (const ScenarioError& e) {
        spdlog::error("{}", e.what());
        return kBadInput;
    } catch (const OutputError& e) {
        spdlog::error("{}", e.what());
        return kBadInput;
    } catch (const std::system_error& e) {
        spdlog::error("no worker process could be started: {}", e.what());
        return kIncomplete;
    } catch (const std::exception& e) {
        spdlog::error("internal error: {}", e.what());
        return kIncomplete;
    }
}

}  // namespace

int run_command_line(const int argc, const char* const* argv, const Simulate& simulate, const Record& record,
                     const Record& record_strictly) {
    Arguments arguments;
    arguments.sweep.jobs = std::max(1U, std::thread::hardware_concurrency());

    CLI::App app(
        "Cycle-accurate simulator of RDMA NICs: RoCEv2 RNICs that run unmodified programs (exec), networks of "
        "them, persistence, and dynamic RDMA for Gigabit Ethernet.",
        "rnicsim");
    app.footer(kFooter);
    app.set_version_flag("--version", "rnicsim " + std::string(build_info().version),
                         "Print the version; `rnicsim version` says what it was built from");
    app.require_subcommand(1);
    app.fallthrough();
    app.add_option("--log-level", arguments.log_level, "Diagnostics on stderr")
        ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "critical", "off"}))
        ->capture_default_str();
    const std::vector<Command> commands = add_commands(app, arguments, simulate, record, record_strictly);

    set_up_log("info");
    return exit_code_of(app, [&]() -> int {
        app.parse(argc, argv);
        set_up_log(arguments.sweep.quiet && arguments.log_level == "info" ? "warning" : arguments.log_level);
        if (!arguments.profiles.empty()) add_own_profiles(arguments.profiles);
        return std::ranges::find_if(commands, [](const Command& command) { return command.app->parsed(); })->act();
    });
}

}  // namespace rnicsim::runner
