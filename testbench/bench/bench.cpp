// SPDX-License-Identifier: Apache-2.0
// Speed of one simulation run, measured in processes of their own. See scripts/bench for the whole comparison.
#include "testbench/bench/cpu_clock.h"
#include "testbench/records/report_clock.h"
#include "testbench/records/run_result.h"
#include "testbench/scenario/scenario.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

extern "C" int sc_main(int, char**) { return 0; }  // main() is ours, not the SystemC library's

namespace {

struct Sample {
    double wall_seconds = 0;
    double cpu_seconds = 0;
    std::uint64_t data_frames = 0;
    std::uint64_t events = 0;
    std::int64_t cycles = 0;
    std::uint64_t clocked = 0;
    std::int64_t peak_kib = 0;
};

Sample measure(const rnicsim::RunRequest& config) {
    const double started = cpu_seconds();
    const rnicsim::RunResult result = rnicsim::simulate(config);
    const double cpu = cpu_seconds() - started;
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return {result.wall_seconds,
            cpu,
            result.data_frames,
            result.kernel_events,
            rnicsim::kReportClock.edge(result.simulated).n,
            result.clocked,
            usage.ru_maxrss};
}

/// In a child process: SystemC elaborates once per process. Exits on a failed run.
Sample measure_apart(const rnicsim::RunRequest& config) {
    int pipe_ends[2];
    if (::pipe(pipe_ends) != 0) {
        std::perror("pipe");
        std::exit(3);
    }
    const pid_t child = ::fork();
    if (child == 0) {
        const Sample sample = measure(config);
        ::_exit(::write(pipe_ends[1], &sample, sizeof sample) == sizeof sample ? 0 : 1);
    }
    ::close(pipe_ends[1]);
    Sample sample;
    const bool whole = ::read(pipe_ends[0], &sample, sizeof sample) == sizeof sample;
    ::close(pipe_ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!whole || status != 0) {
        std::cerr << "bench: the measured run failed\n";
        std::exit(1);
    }
    return sample;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Times one run of a scenario (its first point), in a process of its own, and prints one line per run.");
    std::string file;
    std::string method = "dynamic";
    unsigned runs = 5;
    std::uint32_t transfers = 800;
    bool once = false;
    bool rtl = false;
    std::vector<std::string> settings;
    rnicsim::ObserveRequest observe;
    app.add_option("scenario", file, "scenario file")->required();
    app.add_option("--method", method, "traditional or dynamic")->check(CLI::IsMember({"traditional", "dynamic"}));
    app.add_option("--runs", runs, "measured runs");
    app.add_option("--transfers", transfers, "transfers a run");
    app.add_option("--set", settings, "KEY=VALUE");
    app.add_flag("--rtl", rtl, "both cores followed by Verilog");
    app.add_option("--events", observe.events, "with this file of rnicsim run; also --pcap, --trace, --vcd");
    app.add_option("--pcap", observe.capture);
    app.add_option("--trace", observe.trace);
    app.add_option("--vcd", observe.signals);
    app.add_flag("--once", once, "one run in this process, for callgrind");
    CLI11_PARSE(app, argc, argv);
    try {
        std::vector<rnicsim::Override> overrides;
        if (rtl) overrides.push_back({"simulation.rnic_core", "rtl"});
        for (const std::string& setting : settings) {
            const std::size_t sign = setting.find('=');
            if (sign == std::string::npos) throw std::invalid_argument("--set " + setting + ": expected KEY=VALUE");
            overrides.push_back({setting.substr(0, sign), setting.substr(sign + 1)});
        }
        const rnicsim::Scenario scenario = rnicsim::load_scenario(file, overrides);
        rnicsim::RunRequest config = rnicsim::run_config(scenario, 0, scenario.variants.find(method).value_or(0), 0);
        config.traffic[0].transfers = transfers;
        config.observe = observe;
        for (unsigned i = 0; i < (once ? 1 : runs); ++i) {
            const Sample s = once ? measure(config) : measure_apart(config);
            std::printf("wall_s=%.6f cpu_s=%.6f data_frames=%llu events=%llu cycles=%lld clocked=%llu peak_kib=%lld\n",
                        s.wall_seconds, s.cpu_seconds, static_cast<unsigned long long>(s.data_frames),
                        static_cast<unsigned long long>(s.events), static_cast<long long>(s.cycles),
                        static_cast<unsigned long long>(s.clocked), static_cast<long long>(s.peak_kib));
        }
    } catch (const std::exception& error) {
        std::cerr << "bench: " << error.what() << '\n';
        return 2;
    }
    return 0;
}
