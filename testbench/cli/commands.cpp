// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/commands.h"

#include "testbench/cli/tree.h"
#include "testbench/results/build_info.h"
#include "testbench/results/summary_csv.h"
#include "testbench/results/text.h"
#include "testbench/results/ways.h"
#include "testbench/tape/tape_text.h"
#include "testbench/theory/check_lines_text.h"

#include <spdlog/spdlog.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace rnicsim::runner {
namespace {

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

std::string counts(const Scenario& scenario) {
    return counted(scenario.points.size(), "point") + " x " +
           counted(scenario.variants.names.size(), scenario.variants.word) + " x " +
           counted(scenario.repetitions, "repetition") + " = " +
           counted(scenario.points.size() * scenario.variants.names.size() * scenario.repetitions, "run");
}

}  // namespace

Scenario load(const std::filesystem::path& file, const std::vector<Override>& overrides,
              const std::vector<AxisOption>& axes, Purpose purpose) {
    Scenario scenario = load_scenario(file, overrides, axes, purpose);
    check_axis_names(scenario);
    for (const std::string& warning : scenario.warnings) spdlog::warn("{}", warning);
    return scenario;
}

void play_tape(Scenario& scenario, const std::string& file) {
    if (file.empty()) return;
    const std::string text = load_tape_text(file);
    // A sweep may change what the names mean: how many hosts there are.
    std::optional<TapeNames> names;
    std::shared_ptr<const FaultTape> tape;
    for (SweepPoint& point : scenario.points) {
        TapeNames of_point(point.configs.front());
        if (names != of_point) {
            try {
                tape = std::make_shared<const FaultTape>(read_tape(text, file, of_point));
            } catch (const ScenarioError& error) {
                if (!names) throw;
                throw ScenarioError(std::string(error.what()) + ", at " + runner::point_label(point.values));
            }
            if (!names) scenario.tape = write_tape(*tape, of_point);
            names = std::move(of_point);
        }
        for (RunConfig& config : point.configs) config.tape = tape;
    }
}

ExitCode validate(const std::vector<std::filesystem::path>& files, const std::vector<Override>& overrides,
                  const std::vector<AxisOption>& axes, Purpose purpose) {
    ExitCode code = kOk;
    for (const std::filesystem::path& file : files) {
        try {
            print("OK " + file.string() + ": " + counts(load(file, overrides, axes, purpose)) + '\n');
            std::fflush(stdout);  // keeps the order of lines when both streams go to one file
        } catch (const ScenarioError& e) {
            spdlog::error("{}", e.what());
            code = kBadInput;
        }
    }
    return code;
}

ExitCode describe(const Scenario& scenario) {
    std::string text = draw_tree(scenario.name, scenario.composition);
    text += "\nruns: " + counts(scenario) + '\n';
    for (std::size_t p = 0; p < scenario.points.size(); ++p) {
        text += "  point " + std::to_string(p) + ": " + point_label(scenario.points[p].values) + '\n';
    }
    const RunConfig& first = scenario.points.front().configs.front();
    if (first.network) text += ways_not_taken(first);
    text += check_lines_text(first);  // a sweep's: of point 0
    print(text);
    return kOk;
}

ExitCode print_version() {
    const BuildInfo& build = build_info();
    std::string text = "rnicsim " + std::string(build.version) + '\n';
    text += "git revision " + std::string(build.git_revision) + ", sources " + std::string(build.source_hash) + '\n';
    text += std::string(build.compiler) + ", " + std::string(build.build_type) + ", SystemC " +
            std::string(build.systemc) + '\n';
    print(text);
    return kOk;
}

}  // namespace rnicsim::runner
