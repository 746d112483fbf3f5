// SPDX-License-Identifier: Apache-2.0
// A scenario and a simulation that need neither a file nor SystemC.
#pragma once

#include "model/rnic/drp/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/scenario/scenario.h"
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/default_config.h"
#include "testbench/workloads/transfers/transfer_sample.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace rnicsim::runner::test {

/// A folder that is removed with the test.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "rnicsim_test_XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

inline std::string content(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// Two points of a loss axis, both methods, two repetitions.
inline Scenario small_scenario() {
    Scenario scenario;
    scenario.file = "folder/small.yaml";
    scenario.name = "small";
    scenario.variants = {"method", {"traditional", "dynamic"}, Comparison{}};
    scenario.repetitions = 2;
    scenario.resolved = "system:\n  link:\n    loss: swept\n";
    for (const char* const loss : {"0 %", "5 %"}) {
        SweepPoint point;
        point.values = {{"link.loss", loss}};
        for (const Method method : {Method::traditional, Method::dynamic}) {
            RunConfig& config = point.configs.emplace_back(default_config());
            config.traffic[0].between_two(Direction::both);  // for which there is no theory
            config.links[0].loss = loss[0] == '5' ? 0.05 : 0;
            for (DrpEndConfig& end : drp_ends(config)) end.rnic.transport.method = method;
        }
        scenario.points.push_back(point);
    }
    scenario.reference_source = "a paper";
    scenario.reference = {{{{"link.loss", "5%"}}, 0.1}};
    return scenario;
}

/// Three transfers, the last of which fails; dynamic is a tenth faster. A pure function of its configuration.
inline RunResult fake_simulate(const RunConfig& config) {
    const bool dynamic = drp_of(config, 0).rnic.transport.method == Method::dynamic;
    const std::int64_t base = (config.links[0].loss > 0 ? 200'000 : 100'000) + 10'000 * config.repetition;
    RunResult result;
    for (std::uint32_t id = 0; id < 3; ++id) {
        Sample t;
        t.id = id;
        t.start = cycles(id * 1'000'000);
        t.end = t.start + cycles((base + 1'000 * id) * (dynamic ? 9 : 10) / 10);
        t.mark = dynamic && id == 1;
        t.parts = {cycles(1'000).ps, 0, 0, (t.took() - cycles(1'500)).ps, 0, 0, cycles(500).ps};
        if (id == 2) t.status = static_cast<std::uint8_t>(TransferError::request_timeout);
        result.samples.push_back(t);
    }
    result.counters = {{"z.first", 1 + config.repetition}, {"a.second", 10}};
    result.data_frames = 300;
    result.kernel_events = 9'000;
    result.simulated = kMillisecond * 40;
    result.wall_seconds = 0.25;
    return result;
}

}  // namespace rnicsim::runner::test

namespace rnicsim {

inline bool same(const RunResult& a, const RunResult& b) {
    const auto same_transfer = [](const Sample& x, const Sample& y) {
        return x.id == y.id && x.initiator == y.initiator && x.operation == y.operation && x.start == y.start &&
               x.end == y.end && x.mark == y.mark && x.status == y.status;
    };
    return std::equal(a.samples.begin(), a.samples.end(), b.samples.begin(), b.samples.end(), same_transfer) &&
           a.counters == b.counters && a.data_frames == b.data_frames && a.kernel_events == b.kernel_events &&
           a.simulated == b.simulated && a.wall_seconds == b.wall_seconds;
}

}  // namespace rnicsim
