// SPDX-License-Identifier: Apache-2.0
// The rows of cuts.csv of a run in a process of its own.
#pragma once

#include "testbench/records/cut_report.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace rnicsim {

inline std::vector<CutRow> rows_of(const RunConfig& config, unsigned host = 1) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("rnicsim_cuts_" + std::to_string(::getpid()));
    const auto ran = in_child([&] {
        RunRequest request(config);
        request.cut = {{}, file.string(), host};
        return simulate(request).cuts.folded.size();
    });
    REQUIRE(ran == 1);
    std::ifstream in(file);
    std::vector<CutRow> rows;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::ranges::replace(line, ',', ' ');
        std::istringstream values(line);
        CutRow& row = rows.emplace_back();
        values >> row.time.ps >> row.iio_bytes >> row.llc_bytes >> row.imc_bytes;
        for (std::uint64_t& n : row.messages) values >> n;
        REQUIRE(values);
    }
    std::filesystem::remove(file);
    return rows;
}

}  // namespace rnicsim
