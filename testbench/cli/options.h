// SPDX-License-Identifier: Apache-2.0
// The options of the program's commands, and where their values go.
#pragma once

#include "testbench/cli/cosim.h"
#include "testbench/cli/crash.h"
#include "testbench/cli/cut.h"
#include "testbench/cli/explain.h"
#include "testbench/cli/explore.h"
#include "testbench/cli/look_options.h"
#include "testbench/cli/serve.h"
#include "testbench/cli/shrink.h"
#include "testbench/cli/workloads.h"
#include "testbench/sweep/sweep.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim::runner {

struct Arguments {
    std::vector<std::filesystem::path> scenarios;  ///< of validate and describe
    std::filesystem::path scenario;                ///< of the commands that leave results
    std::vector<std::string> sets;
    std::vector<std::filesystem::path> profiles;  ///< files of the user's own
    bool profile_schema = false;                  ///< schema: that of profiles
    std::vector<std::string> axes;
    std::string seed;
    std::optional<std::string> shard;
    std::vector<std::filesystem::path> folders;
    std::string log_level = "info";
    SweepOptions sweep;
    std::filesystem::path report;
    bool no_plot = false;
    bool keys = false;
    bool programs = false;  ///< validate: as for rnicsim exec
    std::filesystem::path drawing;
    std::string tape;
    WaveOptions wave;
    StreamOptions streams;
    ObserveOptions observe;
    ExplainOptions explain;
    ShrinkOptions shrink;
    ExploreOptions explore;
    WorkloadsOptions workloads;
    CutOptions cut;
    CrashOptions crash;
    ServeOptions serve;
};

/// Each adds options of one kind to a command. `arguments` has to outlive the command.
void add_override_options(CLI::App& command, Arguments& arguments);
void add_axis_option(CLI::App& command, Arguments& arguments);
void add_tape_option(CLI::App& command, Arguments& arguments);
/// Of the commands that leave results.
void add_product_options(CLI::App& command, Arguments& arguments);

/// All options of a command.
void add_sweep_options(CLI::App& command, Arguments& arguments);
void add_merge_options(CLI::App& command, Arguments& arguments);
void add_validate_options(CLI::App& command, Arguments& arguments);
void add_describe_options(CLI::App& command, Arguments& arguments);
void add_schema_options(CLI::App& command, Arguments& arguments);
void add_cosim_options(CLI::App& command, Arguments& arguments);
void add_explain_options(CLI::App& command, Arguments& arguments);
void add_shrink_options(CLI::App& command, Arguments& arguments);
void add_cut_options(CLI::App& command, Arguments& arguments);
void add_crash_options(CLI::App& command, Arguments& arguments);
void add_explore_options(CLI::App& command, Arguments& arguments);
void add_workloads_options(CLI::App& command, Arguments& arguments);
void add_serve_options(CLI::App& command, Arguments& arguments);
void add_exec_options(CLI::App& command, Arguments& arguments);
void add_report_options(CLI::App& command, Arguments& arguments);

}  // namespace rnicsim::runner
