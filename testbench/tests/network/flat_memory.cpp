// SPDX-License-Identifier: Apache-2.0
// A run with records in a file takes the same memory however many messages, transfers or frames it has.
#include "testbench/records/record_files.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/own_memory.h"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <string>

namespace rnicsim {
namespace {

/// Bytes at the end of a run of so many.
std::int64_t memory_of(const std::string& item, const std::string& rnic, std::uint32_t count) {
    const std::filesystem::path records =
        std::filesystem::temp_directory_path() / ("rnicsim_flat_" + std::to_string(getpid()));
    const auto taken = in_child([&] {
        RunRequest request = pair_of(item + ", transfers: " + std::to_string(count), rnic);
        request.records = records;
        const RunResult result = simulate(request);
        if (result.samples.size() != count) throw RunError("records are missing");
        return own_memory();
    });
    std::filesystem::remove(samples_file(records));
    return taken.value_or(0);
}

TEST_CASE("memory does not grow with what a run is about", "[network]") {
    struct Case {
        const char *item, *rnic;
        std::uint32_t few, many;
    };
    constexpr std::int64_t kGrowth =
        3 << 19;  // bytes; records alone would take twice that, in memory or in pages of a file
    for (const Case& of : {Case{"operation: write, size: 64 B, depth: 16", "personality: rc", 1'000, 40'000},
                           Case{"size: 64 B, in_flight: 2", "personality: drp", 1'000, 30'000},
                           Case{"size: 64 B", "personality: plain", 1'000, 40'000}}) {
        INFO(of.rnic);
        const std::int64_t few = memory_of(of.item, of.rnic, of.few), many = memory_of(of.item, of.rnic, of.many);
        CHECK(few > 0);
        CHECK(many - few < kGrowth);
    }
}

}  // namespace
}  // namespace rnicsim
