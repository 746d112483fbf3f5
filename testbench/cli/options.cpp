// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/options.h"

#include <map>
#include <string_view>

namespace rnicsim::runner {
namespace {

void add_scenario(CLI::App& command, Arguments& arguments) {
    command.add_option("scenario", arguments.scenario, "Scenario file (YAML)")->required();
}

void add_run_option(CLI::App& command, std::string& label) {
    command
        .add_option("--run", label,
                    "Of this run, e.g. p002_dynamic_r0 [the first of run.compare's `against`, which is dynamic by "
                    "default; without variants the first]")
        ->type_name("LABEL");
}

void add_jobs_option(CLI::App& command, Arguments& arguments) {
    command.add_option("--jobs,-j", arguments.sweep.jobs, "Runs simulated at once")
        ->type_name("N")
        ->check(CLI::Range(1U, 4096U))
        ->capture_default_str();
}

void add_observe_options(CLI::App& command, ObserveOptions& options) {
    CLI::Option_group& group = *command.add_option_group("Look inside", "one run leaves, beside its results:");
    ObserveRequest& request = options.request;
    group.add_option("--pcap", request.capture, "Frames on the wire, lost ones too, for Wireshark")
        ->type_name("FILE.pcapng");
    group
        .add_option("--pcap-at", options.capture_at, "... each where it is sent, where it is received, or both [sent]")
        ->type_name("WHERE");
    group.add_flag("--pcap-tlps", request.tlps, "... and the DMA transactions of both ends, as PCIe TLPs");
    group.add_option("--events", request.events, "Every event and decision with its cause, one a row")
        ->type_name("FILE.csv|FILE.jsonl");
    group.add_option("--trace", request.trace, "A time line for ui.perfetto.dev or chrome://tracing")
        ->type_name("FILE.json");
    group.add_option("--series", request.series, "Rates of links and bytes in switches over time, a row an interval")
        ->type_name("FILE.csv");
    group.add_option("--series-interval", options.interval, "How long an interval is [10 us]")->type_name("TIME");
    group.add_option("--vcd", request.signals, "Windows, timers, modes and buffer fill as waveforms, for GTKWave")
        ->type_name("FILE.vcd");
    group.add_option("--record-tape", request.tape, "What goes wrong, to be played with --tape; of the whole run")
        ->type_name("FILE.tape");
    group.add_option("--observe-window", options.window, "Only of this time, e.g. \"1 ms..1.2 ms\" [all of the run]")
        ->type_name("FROM..TO");
}

void add_observed_run_option(CLI::App& command, ObserveOptions& options) {
    command
        .add_option("--observe-run", options.run,
                    "Of this run, e.g. p002_dynamic_r0 [the first of run.compare's "
                    "`against`, which is dynamic by default; without variants the first]")
        ->type_name("LABEL");
}

void add_wave_options(CLI::App& command, WaveOptions& wave) {
    command
        .add_option("--wave", wave.file,
                    "Leave the waveforms of a run's Verilog: x.fst stands for a file for each block, "
                    "x.a.gmac_tx.fst, x.b.frame_filter.fst, ...")
        ->type_name("FILE.fst");
    command.add_option("--wave-blocks", wave.blocks, "Only of these, e.g. a.gmac_rx,b.frame_filter [all in Verilog]")
        ->type_name("BLOCK,...")
        ->delimiter(',');
    command.add_option("--wave-window", wave.window, "Only of this time of the run, e.g. \"1 ms..1.2 ms\" [all of it]")
        ->type_name("FROM..TO");
    command
        .add_option("--wave-run", wave.run,
                    "Of this run, e.g. p002_dynamic_r0 [the first of run.compare's `against`, which is dynamic by "
                    "default; without variants the first]")
        ->type_name("LABEL");
}

}  // namespace

void add_override_options(CLI::App& command, Arguments& arguments) {
    command
        .add_option("--set", arguments.sets, "Override a key of the scenario: KEY=VALUE, checked like the file's own")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command.add_option("--seed", arguments.seed, "Seed of all random draws; short for --set simulation.seed=N")
        ->type_name("N");
    command
        .add_option("--profile", arguments.profiles,
                    "A profile of your own, which system.rnic.profile, ...rc.dcqcn.parameters or "
                    "system.host.cpu.profile chooses by its name; "
                    "repeatable")
        ->type_name("FILE.yaml")
        ->allow_extra_args(false);
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

void add_tape_option(CLI::App& command, Arguments& arguments) {
    command.add_option("--tape", arguments.tape, "Play these faults in every run, in place of the probabilities")
        ->type_name("FILE.tape");
}

void add_product_options(CLI::App& command, Arguments& arguments) {
    command.add_option("--out,-o", arguments.sweep.out, "Output folder [results/<scenario name>]")->type_name("DIR");
    command.add_flag("--transfers-csv", arguments.sweep.transfers_csv, "Also write transfers.csv: a row per transfer");
    command.add_flag("--quiet,-q", arguments.sweep.quiet, "No table and no progress; warnings and errors only");
    command.add_flag("--no-plot", arguments.no_plot, "Do not draw plot.png and plot.svg");
}

void add_sweep_options(CLI::App& command, Arguments& arguments) {
    add_scenario(command, arguments);
    add_override_options(command, arguments);
    add_tape_option(command, arguments);
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
    add_observed_run_option(command, arguments.observe);
}

void add_merge_options(CLI::App& command, Arguments& arguments) {
    command.add_option("scenario", arguments.scenario, "Scenario file (YAML), with the options that the shards had")
        ->required();
    command.add_option("folders", arguments.folders, "Output folders of the shards [OUT itself]")->type_name("DIR");
    add_override_options(command, arguments);
    add_axis_option(command, arguments);
    add_tape_option(command, arguments);
    add_product_options(command, arguments);
}

void add_validate_options(CLI::App& command, Arguments& arguments) {
    command.add_option("scenario", arguments.scenarios, "Scenario files (YAML)")->required();
    command.add_flag("--programs", arguments.programs,
                     "As for `rnicsim exec` and `serve`: programs may do what the items of the traffic do not");
    add_override_options(command, arguments);
    add_axis_option(command, arguments);
}

void add_describe_options(CLI::App& command, Arguments& arguments) {
    command.add_option("scenario", arguments.scenarios, "Scenario file (YAML)")->expected(0, 1);
    command.add_flag("--keys", arguments.keys, "Print the reference of every scenario key as Markdown");
    command.add_option("--draw", arguments.drawing, "Draw it, too: Graphviz, or SVG with its help")
        ->type_name("FILE.dot|FILE.svg");
    add_override_options(command, arguments);
    add_axis_option(command, arguments);
}

void add_workloads_options(CLI::App& command, Arguments& arguments) {
    command.add_option("name", arguments.workloads.name, "Tell all about one of them");
    command.add_flag("--scenario", arguments.workloads.scenario, "Only print its scenario");
}

void add_schema_options(CLI::App& command, Arguments& arguments) {
    command.add_flag("--profile", arguments.profile_schema, "Of profiles, in place of scenarios");
}

void add_cosim_options(CLI::App& command, Arguments& arguments) {
    add_scenario(command, arguments);
    add_override_options(command, arguments);
    add_axis_option(command, arguments);
    add_tape_option(command, arguments);
    add_wave_options(command, arguments.wave);
    command
        .add_option("--stress", arguments.streams.stress,
                    "Before the runs, give each MAC and each frame filter in Verilog so many frames each way: good, "
                    "damaged, too short, too long, malformed, with pauses where its manifest allows them")
        ->check(CLI::Range(1U, 100'000'000U))
        ->type_name("N");
    command
        .add_option("--dump-transactions", arguments.streams.dump,
                    "Each frame that goes through a block with AXI-Stream ports in the run that --wave-run names, what "
                    "went in and what came out: vectors for a testbench of your own")
        ->type_name("FILE.jsonl");
}

void add_serve_options(CLI::App& command, Arguments& arguments) {
    command.add_option("scenario", arguments.scenario, "Scenario file (YAML); its traffic is that of the programs")
        ->required();
    command
        .add_option("--socket", arguments.serve.socket,
                    "Where programs find the simulator [in a new folder of its own among the temporary files]")
        ->type_name("PATH");
    command.add_flag("--free", arguments.serve.free,
                     "Time goes on by itself, and clocks are the machine's: quicker, and not the same each time");
    command.add_flag("--reads-flush", arguments.serve.reads_flush,
                     "Where a host has persistent memory: a READ tells its program that the WRITEs before it are "
                     "durable, as a FLUSH does (librpma's flush, where there is no FLUSH)");
    command.add_flag("--replies-flush", arguments.serve.replies_flush,
                     "... and so does the message that answers a SEND, of the WRITEs before that (gpspm)");
    command
        .add_option("--cut-at", arguments.serve.cut_at,
                    "Say what a power cut at this time would have left of programs' WRITEs into persistent memory")
        ->type_name("TIME");
    add_override_options(command, arguments);
    add_tape_option(command, arguments);
    add_observe_options(command, arguments.observe);
    command
        .add_option("--record", arguments.observe.request.recording,
                    "Every event, for `rnicsim explain SCENARIO --recorded FILE.run`")
        ->type_name("FILE.run");
}

void add_exec_options(CLI::App& command, Arguments& arguments) {
    add_serve_options(command, arguments);
    command.add_flag("--machine-network", arguments.serve.machine_network,
                     "Programs have the machine's network, to reach what is not of this run; runs at once then need "
                     "ports of their own");
    command.add_flag("--together", arguments.serve.together,
                     "All programs begin at once; without it each begins when those before it take connections, have "
                     "ended, or have done nothing for a second. --and instead of --on: with the one before");
    command
        .add_option("--until", arguments.serve.until,
                    "End when these have ended, and end the others: a host, HOST:N (the host's programs from 0) or a "
                    "program's name [when all have]")
        ->type_name("NAME")
        ->allow_extra_args(false);
}

void add_explain_options(CLI::App& command, Arguments& arguments) {
    ExplainOptions& options = arguments.explain;
    add_scenario(command, arguments);
    command
        .add_option(
            "--transfer,-t", options.transfer,
            "Which one, from 0; b7: the eighth that b asks for; in a network client3.7; of RoCEv2 a.q0.7: the eighth "
            "message of a's first QP")
        ->type_name("N");
    command
        .add_option("--recorded", options.recording,
                    "Of this recording of `rnicsim exec --record`, instead of a run of the scenario")
        ->type_name("FILE.run");
    command
        .add_option("--program", options.program,
                    "In place of --transfer: a program of the recording, its verbs calls and what its QPs send; a:0, "
                    "the first that came to host a, or its name")
        ->type_name("NAME");
    add_run_option(command, options.run);
    command.add_option("--draw", options.file, "Draw it, too")->type_name("FILE.svg|FILE.html");
    command.add_flag("--every-frame", options.every_frame, "A line for each frame, also where nothing happens");
    add_tape_option(command, arguments);
    add_override_options(command, arguments);
    add_axis_option(command, arguments);
}

void add_shrink_options(CLI::App& command, Arguments& arguments) {
    ShrinkOptions& options = arguments.shrink;
    add_scenario(command, arguments);
    command
        .add_option("--tape", options.tape, "The faults to begin with [those that the scenario's probabilities give]")
        ->type_name("FILE.tape");
    command.add_option("--out,-o", options.out, "What is left")->type_name("FILE.tape")->required();
    command
        .add_option(
            "--wanted", options.wanted,
            "What a run has to show: failure (an invariant is violated, or the watchdog fires), error (a transfer "
            "or a message fails or is lost), or a counter of summary.csv with its least value")
        ->type_name("failure|error|COUNTER>=N")
        ->default_str("failure");
    options.wanted = "failure";
    add_run_option(command, options.run);
    add_jobs_option(command, arguments);
    add_override_options(command, arguments);
    add_axis_option(command, arguments);
}

void add_cut_options(CLI::App& command, Arguments& arguments) {
    CutOptions& options = arguments.cut;
    add_scenario(command, arguments);
    command
        .add_option("--at", options.at,
                    "Really stop there, where what was due before has happened, and compare the bytes that are left "
                    "with what initiators have been told [all instants, from one run]")
        ->type_name("TIME");
    command.add_option("--csv", options.csv, "What a cut finds at each instant, a row a change")->type_name("FILE.csv");
    command.add_option("--host", options.host, "Whose power [the first at which items are made durable]")
        ->type_name("NAME");
    add_run_option(command, options.run);
    add_override_options(command, arguments);
    add_axis_option(command, arguments);
    add_tape_option(command, arguments);
}

void add_crash_options(CLI::App& command, Arguments& arguments) {
    CrashOptions& options = arguments.crash;
    add_scenario(command, arguments);
    command
        .add_option("--what", options.what,
                    "host: its processor does nothing more, its RNIC goes on; system: no frame leaves it, either")
        ->type_name("host|system")
        ->capture_default_str();
    CLI::Option* const at = command.add_option("--at", options.at, "Crash there [all instants]")->type_name("TIME");
    command
        .add_option("--samples", options.samples,
                    "So many random instants, one in each equal part of the time in which there are items [all "
                    "instants: a crash in each piece of time in which it makes no difference when]")
        ->type_name("N")
        ->check(CLI::Range(1U, 1'000'000U))
        ->excludes(at);
    command.add_option("--csv", options.csv, "What a crash leaves at each instant, a row a change")
        ->type_name("FILE.csv");
    command.add_option("--host", options.host, "Who crashes [the first that has items made durable]")
        ->type_name("NAME");
    add_run_option(command, options.run);
    add_jobs_option(command, arguments);
    add_override_options(command, arguments);
    add_axis_option(command, arguments);
    add_tape_option(command, arguments);
}

void add_report_options(CLI::App& command, Arguments& arguments) {
    command
        .add_option(
            "folder", arguments.report,
            "Folder of output folders, those of the paper's experiments named like their scenario; or one such folder")
        ->type_name("DIR")
        ->required();
}

}  // namespace rnicsim::runner
