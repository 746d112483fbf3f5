#include "testbench/runner/command_line.h"

#include "testbench/runner/axes.h"
#include "testbench/runner/commands.h"
#include "testbench/runner/compare.h"
#include "testbench/runner/explain.h"
#include "testbench/runner/explore.h"
#include "testbench/runner/interrupt.h"
#include "testbench/runner/look_options.h"
#include "testbench/runner/merge.h"
#include "testbench/runner/output_folder.h"
#include "testbench/runner/report.h"
#include "testbench/runner/shrink.h"
#include "testbench/runner/system_graph.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
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
  2    bad input: a scenario, an option, or an output folder that cannot be written
  3    results incomplete for a reason outside the simulation, e.g. a worker was killed; the same command continues.
       merge: runs are missing. explore: --max-states ended a search
  130  interrupted (Ctrl-C, SIGTERM); finished runs are kept, the same command continues

Examples:
  rnicsim validate scenarios/paper/*.yaml
  rnicsim run scenarios/paper/fig6_joint.yaml --jobs 8
  rnicsim run scenarios/paper/fig6_joint.yaml --seed 7 --out results/fig6_seed7
  rnicsim sweep my.yaml --axis "system.link.loss=0 %,1 %,5 %" --transfers-csv
  rnicsim sweep my.yaml --axis "system.link.loss=0 %..10 %:1 %" --axis system.rnic.transport.window=4,8,16
  rnicsim sweep my.yaml --axis "system.link.loss,system.rnic.transport.request_timer=[0 %, 2.4 ms],[5 %, 4.8 ms]"
  rnicsim run my.yaml --shard 2/4 --out share2          (four computers, one share each), then
  rnicsim merge my.yaml share1 share2 share3 share4 --out results/my
  rnicsim cosim scenarios/examples/read.yaml --set simulation.frame_filter=rtl
  rnicsim explain scenarios/paper/fig6_joint.yaml --run p003_dynamic_r0 --transfer 7 --draw ladder.svg
  rnicsim run my.yaml --pcap my.pcapng --events my.csv --trace my.json --observe-window "0 ms..5 ms"
  rnicsim run my.yaml --record-tape my.tape             what goes wrong in the first run, a fault a line; then
  rnicsim run my.yaml --tape my.tape                    the same again, or what you make of it
  rnicsim shrink my.yaml --tape my.tape --out less.tape --wanted error
  rnicsim explore --operation read --faults 3
  rnicsim describe --keys
  rnicsim compare my.yaml --set-b system.rnic.transport.window=4 --html window.html
  rnicsim compare my.yaml --program-b ../other/build/release/bin/rnicsim --tolerance "1 %"
  rnicsim compare results/before results/after
  rnicsim report results/paper)";

struct Arguments {
    std::vector<std::filesystem::path> scenarios;  ///< of validate and describe
    std::filesystem::path scenario;                ///< of the commands that leave results
    std::vector<std::string> sets;
    std::vector<std::string> axes;
    std::string seed;
    std::optional<std::string> shard;
    std::vector<std::filesystem::path> folders;
    std::string log_level = "info";
    SweepOptions sweep;
    std::filesystem::path report;
    bool no_plot = false;
    bool keys = false;
    std::filesystem::path drawing;
    std::string tape;
    WaveOptions wave;
    ObserveOptions observe;
    ExplainOptions explain;
    ShrinkOptions shrink;
    ExploreOptions explore;
};

void add_override_options(CLI::App& command, Arguments& arguments) {
    command
        .add_option("--set", arguments.sets, "Override a key of the scenario: KEY=VALUE, checked like the file's own")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command.add_option("--seed", arguments.seed, "Seed of all random draws; short for --set simulation.seed=N")
        ->type_name("N");
}

void add_axis_option(CLI::App& command, Arguments& arguments) {
    command
        .add_option("--axis", arguments.axes,
                    "Sweep a key over a list of values, KEY=V1,V2,..., or a range, KEY=FROM..TO:STEP; several keys, "
                    "K1,K2=..., take the same values, or a row each, K1,K2=[A1,A2],[B1,B2],...; repeatable, the first "
                    "axis is the slowest")
        ->type_name("KEY=VALUES")
        ->allow_extra_args(false);
}

void add_tape_option(CLI::App& command, std::string& tape) {
    command.add_option("--tape", tape, "Play these faults in every run, in place of the probabilities")
        ->type_name("FILE.tape");
}

/// Of the commands that leave results.
void add_product_options(CLI::App& command, Arguments& arguments) {
    command.add_option("--out,-o", arguments.sweep.out, "Output folder [results/<scenario name>]")->type_name("DIR");
    command.add_flag("--transfers-csv", arguments.sweep.transfers_csv, "Also write transfers.csv: a row per transfer");
    command.add_flag("--quiet,-q", arguments.sweep.quiet, "No table and no progress; warnings and errors only");
    command.add_flag("--no-plot", arguments.no_plot, "Do not draw plot.png and plot.svg");
}

void add_observe_options(CLI::App& command, ObserveOptions& options) {
    CLI::Option_group& group = *command.add_option_group("Look inside", "one run leaves, beside its results:");
    ObserveRequest& request = options.request;
    group.add_option("--pcap", request.capture, "Frames on the wire, lost ones too, for Wireshark")
        ->type_name("FILE.pcapng");
    group.add_flag("--pcap-tlps", request.tlps, "... and the DMA transactions of both ends, as PCIe TLPs");
    group.add_option("--events", request.events, "Every event and decision with its cause, one a row")
        ->type_name("FILE.csv|FILE.jsonl");
    group.add_option("--trace", request.trace, "A time line for ui.perfetto.dev or chrome://tracing")
        ->type_name("FILE.json");
    group.add_option("--vcd", request.signals, "Windows, timers, modes and buffer fill as waveforms, for GTKWave")
        ->type_name("FILE.vcd");
    group.add_option("--record-tape", request.tape, "What goes wrong, to be played with --tape; of the whole run")
        ->type_name("FILE.tape");
    group.add_option("--observe-run", options.run, "Of this run, e.g. p002_dynamic_r0 [the first]")->type_name("LABEL");
    group.add_option("--observe-window", options.window, "Only of this time, e.g. \"1 ms..1.2 ms\" [all of the run]")
        ->type_name("FROM..TO");
}

void add_sweep_options(CLI::App& command, Arguments& arguments) {
    command.add_option("scenario", arguments.scenario, "Scenario file (YAML)")->required();
    add_override_options(command, arguments);
    add_tape_option(command, arguments.tape);
    add_product_options(command, arguments);
    command.add_option("--jobs,-j", arguments.sweep.jobs, "Runs simulated at once, each in a process of its own")
        ->type_name("N")
        ->check(CLI::Range(1U, 4096U))
        ->capture_default_str();
    command.add_flag("--fresh", arguments.sweep.fresh, "Simulate everything again, also the runs that OUT/runs holds");
    command
        .add_option("--shard", arguments.shard,
                    "Simulate only share I of N and keep its runs in OUT/runs; the results come from `rnicsim merge`. "
                    "All shards may use the same OUT at once")
        ->type_name("I/N");
    add_observe_options(command, arguments.observe);
}

void add_wave_options(CLI::App& command, WaveOptions& wave) {
    command
        .add_option("--wave", wave.file,
                    "Leave the waveforms of the first run's Verilog: x.fst stands for a file for each block, "
                    "x.a.gmac_tx.fst, x.b.frame_filter.fst, ...")
        ->type_name("FILE.fst");
    command.add_option("--wave-blocks", wave.blocks, "Only of these, e.g. a.gmac_rx,b.frame_filter [all in Verilog]")
        ->type_name("BLOCK,...")
        ->delimiter(',');
    command.add_option("--wave-window", wave.window, "Only of this time of the run, e.g. \"1 ms..1.2 ms\" [all of it]")
        ->type_name("FROM..TO");
}

void add_explain_options(CLI::App& command, Arguments& arguments) {
    ExplainOptions& options = arguments.explain;
    command.add_option("scenario", arguments.scenario, "Scenario file (YAML)")->required();
    command.add_option("--transfer,-t", options.transfer, "Which one, from 0; b7: the eighth that b asks for")
        ->type_name("N")
        ->required();
    command.add_option("--run", options.run, "Of this run, e.g. p002_dynamic_r0 [the first of the dynamic method]")
        ->type_name("LABEL");
    command.add_option("--draw", options.file, "Draw it, too")->type_name("FILE.svg|FILE.html");
    command.add_flag("--every-frame", options.every_frame, "A line for each frame, also where nothing happens");
    add_tape_option(command, arguments.tape);
    add_override_options(command, arguments);
    add_axis_option(command, arguments);
}

void add_shrink_options(CLI::App& command, Arguments& arguments) {
    ShrinkOptions& options = arguments.shrink;
    command.add_option("scenario", arguments.scenario, "Scenario file (YAML)")->required();
    command
        .add_option("--tape", options.tape, "The faults to begin with [those that the scenario's probabilities give]")
        ->type_name("FILE.tape");
    command.add_option("--out,-o", options.out, "What is left")->type_name("FILE.tape")->required();
    command
        .add_option(
            "--wanted", options.wanted,
            "What a run has to show: failure (an invariant is violated, or the watchdog fires), error (a transfer "
            "fails), or a counter of summary.csv with its least value")
        ->type_name("failure|error|COUNTER>=N")
        ->default_str("failure");
    options.wanted = "failure";
    command.add_option("--run", options.run, "Of this run, e.g. p002_dynamic_r0 [the first of the dynamic method]")
        ->type_name("LABEL");
    command.add_option("--jobs,-j", arguments.sweep.jobs, "Runs simulated at once")
        ->type_name("N")
        ->check(CLI::Range(1U, 4096U))
        ->capture_default_str();
    add_override_options(command, arguments);
    add_axis_option(command, arguments);
}

void add_explore_options(CLI::App& command, ExploreOptions& options) {
    using explore::Traffic;
    explore::Bounds& bounds = options.bounds;
    const std::map<std::string, Traffic> traffics{
        {"write", Traffic::write}, {"read", Traffic::read}, {"both-ends", Traffic::both_ends}};
    const std::map<std::string, Method> methods{{"traditional", Method::traditional}, {"dynamic", Method::dynamic}};
    CLI::Option_group& group = *command.add_option_group("Bounds", "one set instead of the standard ones:");
    const auto word = [&group]<typename T>(const char* name, T& value, const std::map<std::string, T>& words,
                                           const char* meaning) {
        const auto set = [&value, words](const std::string& text) { value = words.at(text); };
        group.add_option_function<std::string>(name, set, meaning)->check(CLI::IsMember(words));
    };
    word("--operation", bounds.traffic, traffics, "both-ends: a writes and b reads [write]");
    word("--method", bounds.method, methods, "[dynamic]");
    const auto number = [&group](const char* name, std::uint32_t& value, std::uint32_t least, std::uint32_t most,
                                 const char* meaning) {
        group.add_option(name, value, meaning)->type_name("N")->check(CLI::Range(least, most))->capture_default_str();
    };
    number("--transfers", bounds.transfers, 1, 4, "at most at the same time");
    number("--frames", bounds.frames, 1, 8, "of each transfer");
    number("--window", bounds.window, 1, 8, "frames");
    number("--faults", bounds.faults, 0, 4, "in all: lost, duplicated, overtaken, late frames");
    number("--failures", bounds.failures, 0, 4, "of the registration of each transfer");
    number("--slots", bounds.slots, 0, explore::kMaxSlots, "of each indirect buffer");
    number("--staged", bounds.staged, 1, 8, "data frames of an end between fetch and wire");
    number("--duplicate-acks", bounds.duplicate_acks, 0, 8, "for a fast retransmission");
    number("--indirect-after", bounds.indirect_after, 1, 4, "expiries of the request timer, dynamic");
    group.add_flag("--fetch-at-once", bounds.fetch_at_once, "Data frames are fetched as soon as they may be");
    group.add_flag("--prompt", bounds.prompt,
                   "One rule more: where no frame was lost or late, no data waits for its timer");
    const auto rule = [&group](const char* name, std::string& value, const std::vector<std::string_view>& names) {
        group.add_option(name, value, "As in a scenario")
            ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
            ->capture_default_str();
    };
    rule("--mode-choice", bounds.rules.mode_choice, mode_choice_names());
    rule("--retransmission", bounds.rules.retransmission, retransmission_names());
    rule("--acknowledgement", bounds.rules.acknowledgement, acknowledgement_names());
    rule("--buffer-admission", bounds.rules.buffer_admission, buffer_admission_names());
    group.add_option("--max-states", bounds.max_states, "Give up after so many")
        ->type_name("N")
        ->check(CLI::Range(std::size_t{1}, std::size_t{4'000'000'000}))
        ->capture_default_str();
    command.add_option("--tape", options.tape, "Where the fault tape of a counter-example goes")->type_name("FILE");
    command.callback([&options, &group] { options.standard = group.count_all() == 0; });
}

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
        const auto same = [&](const Override& o) { return o.first == later->first; };
        if (std::any_of(result.begin(), later, same)) {
            throw ScenarioError("--set " + later->first + ": given twice, expected once (--seed is simulation.seed)");
        }
    }
    return result;
}

/// The scenario with all that the options say about it; completes the options of its products.
Scenario scenario_of(Arguments& arguments) {
    ProductOptions& options = arguments.sweep;
    options.overrides = overrides(arguments);
    options.plot = !arguments.no_plot;
    Scenario scenario = load(arguments.scenario, options.overrides, axes(arguments));
    play_tape(scenario, arguments.tape);
    if (options.out.empty()) options.out = std::filesystem::path("results") / scenario.name;
    return scenario;
}

/// For a comparison with Verilog: where the scenario names none, all of it.
Scenario scenario_with_verilog(const Arguments& arguments) {
    std::vector<Override> given = overrides(arguments);
    Scenario scenario = load(arguments.scenario, given, axes(arguments));
    if (has_verilog(scenario)) return scenario;
    given.emplace_back("simulation.rnic", "rtl");
    given.emplace_back("simulation.rnic_core", "rtl");
    try {
        return load(arguments.scenario, given, axes(arguments));
    } catch (const ScenarioError& e) {
        throw ScenarioError(std::string("the scenario puts no block in Verilog, so cosim takes all, and that asks too "
                                        "much of them; choose some, e.g. with --set simulation.gmac=rtl:\n") +
                            e.what());
    }
}

ExitCode simulate_scenario(Arguments& arguments, const bool demand_sweep, const Simulate& simulate) {
    const InterruptGuard guard;
    if (arguments.shard) arguments.sweep.shard = parse_shard(*arguments.shard);
    arguments.sweep.observe = observe_request(arguments.observe);
    arguments.sweep.observed = arguments.observe.run;
    if (!arguments.tape.empty() && std::filesystem::exists(arguments.sweep.observe.tape) &&
        std::filesystem::equivalent(arguments.tape, arguments.sweep.observe.tape)) {
        throw ScenarioError("--record-tape " + arguments.tape + ": is the tape to be played; expected another file");
    }
    const Scenario scenario = scenario_of(arguments);
    if (demand_sweep && scenario.points.front().values.empty()) {
        throw ScenarioError(scenario.file.string() +
                            ": the scenario sweeps nothing; add --axis KEY=V1,V2, or use `rnicsim run`");
    }
    return run_sweep(scenario, arguments.sweep, simulate, [&] { return guard.interrupted(); });
}

ExitCode describe_command(const Arguments& arguments) {
    if (arguments.keys) std::fputs(scenario_reference_markdown().c_str(), stdout);
    if (arguments.scenarios.empty()) {
        if (arguments.keys) return kOk;
        throw ScenarioError("describe: a scenario file or --keys is required");
    }
    const Scenario scenario = load(arguments.scenarios.front(), overrides(arguments), axes(arguments));
    if (!arguments.drawing.empty()) {
        draw_system(arguments.drawing, scenario.name, run_config(scenario, 0, scenario.methods.back(), 0));
    }
    return describe(scenario);
}

}  // namespace

int run_command_line(const int argc, const char* const* argv, const Simulate& simulate, const Record& record) {
    Arguments arguments;
    arguments.sweep.jobs = std::max(1U, std::thread::hardware_concurrency());

    CLI::App app("Cycle-accurate simulator of RDMA NICs: what dynamic indirect transfer gains over traditional RDMA.",
                 "rnicsim");
    app.footer(kFooter);
    app.require_subcommand(1);
    app.fallthrough();
    app.add_option("--log-level", arguments.log_level, "Diagnostics on stderr")
        ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "critical", "off"}))
        ->capture_default_str();

    CLI::App* const run = app.add_subcommand("run", "Simulate every point, method and repetition of a scenario");
    add_sweep_options(*run, arguments);
    CLI::App* const sweep = app.add_subcommand("sweep", "The same for a scenario that sweeps, or with axes from here");
    add_sweep_options(*sweep, arguments);
    add_axis_option(*sweep, arguments);
    CLI::App* const merge = app.add_subcommand("merge", "Make the results of a sweep from the runs of its shards");
    merge->add_option("scenario", arguments.scenario, "Scenario file (YAML), with the options that the shards had")
        ->required();
    merge->add_option("folders", arguments.folders, "Output folders of the shards [OUT itself]")->type_name("DIR");
    add_override_options(*merge, arguments);
    add_axis_option(*merge, arguments);
    add_tape_option(*merge, arguments.tape);
    add_product_options(*merge, arguments);
    CLI::App* const check = app.add_subcommand("validate", "Check scenario files without simulating");
    check->add_option("scenario", arguments.scenarios, "Scenario files (YAML)")->required();
    add_override_options(*check, arguments);
    add_axis_option(*check, arguments);
    CLI::App* const show = app.add_subcommand("describe", "Print the composed system with every resolved parameter");
    show->add_option("scenario", arguments.scenarios, "Scenario file (YAML)")->expected(0, 1);
    show->add_flag("--keys", arguments.keys, "Print the reference of every scenario key as Markdown");
    show->add_option("--draw", arguments.drawing, "Draw it, too: Graphviz, or SVG with its help")
        ->type_name("FILE.dot|FILE.svg");
    add_override_options(*show, arguments);
    add_axis_option(*show, arguments);
    CLI::App* const schema = app.add_subcommand("schema", "Print the JSON Schema of scenarios, for editors");
    CLI::App* const cosim =
        app.add_subcommand("cosim",
                           "Simulate every run with models and with Verilog, and compare them event by "
                           "event; where the scenario puts no block in Verilog, all are");
    cosim->add_option("scenario", arguments.scenario, "Scenario file (YAML)")->required();
    add_override_options(*cosim, arguments);
    add_axis_option(*cosim, arguments);
    add_tape_option(*cosim, arguments.tape);
    add_wave_options(*cosim, arguments.wave);
    CLI::App* const ladder = app.add_subcommand("explain", "Show what happens to one transfer, as a ladder");
    add_explain_options(*ladder, arguments);
    CLI::App* const shrinking =
        app.add_subcommand("shrink", "Find the fewest faults with which a run still fails, or shows something else");
    add_shrink_options(*shrinking, arguments);
    CLI::App* const explorer = app.add_subcommand(
        "explore", "Try every order of events of small workloads, and hold the protocol's rules against each");
    add_explore_options(*explorer, arguments.explore);
    CLI::App* const report = app.add_subcommand("report", "Make DIR/report.html of the output folders in DIR");
    report->add_option("folder", arguments.report, "Folder of output folders, each named like its scenario")
        ->type_name("DIR")
        ->required();
    CLI::App* const compare =
        app.add_subcommand("compare",
                           "Compare two scenarios, settings, builds or output folders run by run; `rnicsim compare "
                           "--help` has its options");
    compare->set_help_flag();  // the script declares the options: all is for it
    compare->allow_extras()->fallthrough(false);
    CLI::App* const version = app.add_subcommand("version", "Print the version, git revision, compiler and SystemC");
    for (CLI::App* const command :
         {run, sweep, merge, check, show, schema, cosim, ladder, shrinking, explorer, report, version}) {
        command->footer(kFooter);
    }

    set_up_log("info");
    try {
        app.parse(argc, argv);
        set_up_log(arguments.sweep.quiet && arguments.log_level == "info" ? "warning" : arguments.log_level);
        if (*version) return print_version();
        if (*cosim) {
            Scenario scenario = scenario_with_verilog(arguments);
            play_tape(scenario, arguments.tape);
            return cosimulate(scenario, record, wave_request(arguments.wave));
        }
        if (*cosim) return cosimulate(scenario_with_verilog(arguments), record, wave_request(arguments.wave));
        if (*explorer) return explore(arguments.explore);
        if (*ladder) {
            Scenario scenario = load(arguments.scenario, overrides(arguments), axes(arguments));
            play_tape(scenario, arguments.tape);
            return explain(scenario, arguments.explain, record);
        }
        if (*shrinking) {
            const InterruptGuard guard;
            arguments.shrink.jobs = arguments.sweep.jobs;
            return shrink(load(arguments.scenario, overrides(arguments), axes(arguments)), arguments.shrink, simulate,
                          [&] { return guard.interrupted(); });
        }
        if (*schema) {
            std::fputs(scenario_json_schema().c_str(), stdout);
            return kOk;
        }
        if (*report) return make_report(arguments.report);
        if (*compare) return compare_results(compare->remaining());
        if (*check) return validate(arguments.scenarios, overrides(arguments), axes(arguments));
        if (*show) return describe_command(arguments);
        if (*merge) {
            const Scenario scenario = scenario_of(arguments);
            return merge_shards(scenario, arguments.sweep, arguments.folders);
        }
        return simulate_scenario(arguments, static_cast<bool>(*sweep), simulate);
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

}  // namespace rnicsim::runner
