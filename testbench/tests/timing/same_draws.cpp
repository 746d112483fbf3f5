// SPDX-License-Identifier: Apache-2.0
// Both methods see the same draws: a loss or a failed registration that hits one hits the other too, so that their
// times may be compared in pairs.
#include "model/faults/random_faults.h"
#include "model/rnic/drp/end/end_config.h"
#include "model/system.h"
#include "testbench/kits/kits.h"
#include "testbench/records/report_clock.h"
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/default_config.h"
#include "testbench/workloads/transfers/scoreboard.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

namespace rnicsim {
namespace {

/// Passes every question on and remembers the answer.
class FateRecorder final : public FaultSource {
  public:
    using Attempt = std::tuple<unsigned, std::uint64_t, std::uint32_t>;  // end, transfer, attempt

    /// `source`: not owned.
    explicit FateRecorder(FaultSource& source) : source_(source) {}

    [[nodiscard]] bool concerns_frames(unsigned link) const override { return source_.concerns_frames(link); }
    FrameFate frame(const FrameName& name, Time sent, bool markable) override {
        return frames.insert_or_assign(name, source_.frame(name, sent, markable)).first->second;
    }
    bool registration_fails(unsigned end, unsigned initiator, std::uint64_t transfer, std::uint32_t attempt) override {
        const bool fails = source_.registration_fails(end, initiator, transfer, attempt);
        attempts[{end, transfer, attempt}] = fails;
        return fails;
    }
    bool holds_at_start(unsigned end, std::uint32_t task) override { return source_.holds_at_start(end, task); }
    Cycle task_time(unsigned end, std::uint32_t task, std::uint64_t n, bool holds) override {
        return source_.task_time(end, task, n, holds);
    }

    std::map<FrameName, FrameFate> frames;
    std::map<Attempt, bool> attempts;

  private:
    FaultSource& source_;
};

RunConfig faulty(Method method) {
    RunConfig config = default_config();
    config.traffic[0].size = 16 * 1024;
    config.traffic[0].transfers = 100;
    config.links[0].loss = 0.1;
    config.links[0].corruption = config.links[0].duplication = 0.1;
    config.links[0].lateness = cycles(1000);
    for (DrpEndConfig& end : drp_ends(config)) {
        end.rnic.transport.method = method;
        end.host.registration.failure = 0.1;
    }
    return config;
}

struct Run {
    Run(const char* name, Method method)
        : config(faulty(method)), system(name, config, KitEnds(board.memory_bytes()), fates, &board) {
        board.record_in(records);
        board.attach(system);
    }

    RunConfig config = two_drp_hosts();
    Scoreboard board{config};
    Records<Sample> records{board.samples()};
    RandomFaults random{fault_config(config)};
    FateRecorder fates{random};
    System system;
};

struct Compared {
    int same = 0, different = 0;
    int faults = 0;  ///< among the same
};

template <typename Fates, typename IsFault>
Compared compare(const Fates& one, const Fates& other, const IsFault& is_fault) {
    Compared compared;
    for (const auto& [name, fate] : one) {
        const auto found = other.find(name);
        if (found == other.end()) continue;  // a retransmission that the other method did not need
        ++(found->second == fate ? compared.same : compared.different);
        compared.faults += is_fault(fate) ? 1 : 0;
    }
    return compared;
}

TEST_CASE("both methods: a frame or an attempt to register of the same name has the same fate", "[timing]") {
    // SystemC elaborates once per process: both systems at once, side by side.
    Run traditional("traditional", Method::traditional);
    Run dynamic("dynamic", Method::dynamic);
    const auto ended = [&] { return traditional.board.all_ended() && dynamic.board.all_ended(); };
    while (!ended() && current_cycle() < Cycle{250'000'000}) sc_core::sc_start(to_sc_time(kMillisecond));
    REQUIRE(ended());
    CHECK(traditional.board.violation().empty());
    CHECK(dynamic.board.violation().empty());
    // They did not do the same.
    CHECK(traditional.fates.frames.size() != dynamic.fates.frames.size());
    CHECK(std::ranges::any_of(dynamic.records, &Sample::mark));

    const Compared frames = compare(traditional.fates.frames, dynamic.fates.frames,
                                    [](const FrameFate& fate) { return fate != FrameFate{}; });
    CHECK(frames.different == 0);
    CHECK(frames.same > 3000);
    CHECK(frames.faults > 600);
    const Compared attempts =
        compare(traditional.fates.attempts, dynamic.fates.attempts, [](bool fails) { return fails; });
    CHECK(attempts.different == 0);
    CHECK(attempts.same >= 100);
    CHECK(attempts.faults > 0);
}

}  // namespace
}  // namespace rnicsim
