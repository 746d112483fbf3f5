// SPDX-License-Identifier: Apache-2.0
// Where the time of an operation over a bridge goes: what its end waited for, and so on back to its begin.
#include "testbench/observe/bridge_path.h"
#include "testbench/tests/scenario/scenario_file.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace rnicsim {
namespace {

constexpr std::uint64_t kWindow = 0x3800'0000'0000;

RunConfig two_hosts() {
    return run_config(ScenarioFile(R"(
system:
  rnic: {profile: cx5_100g}
  hosts: {near: {}, target: {}}
  links: [{between: [near, target], rate: 100 Gbps}]
  bridges: [{name: n0, between: [near, target]}]
run:
  traffic: [{from: near, to: target, application: nts, size: 8 B}]
)")
                          .load(),
                      0, 0, 0);
}

/// Events are told by hand; times are ns.
struct Told {
    Told() {
        OperationStep asked;
        asked.of = {0, 1, 0};
        asked.windows = {OperationStep::Window{kWindow, 4096, 0}, OperationStep::Window{kWindow, 4096, 0}};
        path.begin(asked);
    }
    void tell(std::int64_t since, std::int64_t at, unsigned end, const auto& what) {
        path.add({.at = kNanosecond * at,
                  .since = kNanosecond * since,
                  .end = static_cast<std::uint16_t>(end),
                  .what = what});
    }
    void works(unsigned host, std::int64_t from, std::int64_t to, Charge kind) {
        tell(from, to, host, CoreStep{.kind = kind});
    }
    void waits(unsigned host, std::int64_t from, std::int64_t to, StoreWait why) {
        tell(from, to, host, StoreStep{.step = StoreStep::Step::waited, .why = why});
    }
    void gives(unsigned host, std::int64_t told, std::int64_t at, std::uint64_t address) {
        tell(told, at, host, StoreStep{.bytes = 8, .address = address});
    }
    void sends(unsigned host, std::int64_t begins, std::int64_t left, std::uint64_t address) {
        tell(begins, left, host, step(BridgeStep::Step::sent, host, address));
    }
    void crosses(unsigned host, std::int64_t at, BridgeStep::Step how = BridgeStep::Step::delivered) {
        tell(at, at, host, step(how, host, 0));
    }
    void taken(unsigned host, std::int64_t at) {
        tell(at, at + 80, host, step(BridgeStep::Step::credits_back, host, 0));
    }
    static BridgeStep step(BridgeStep::Step how, unsigned host, std::uint64_t address) {
        return {.step = how, .to = static_cast<std::uint16_t>(1 - host), .tlps = 1, .bytes = 8, .address = address};
    }
    /// In ns.
    [[nodiscard]] std::map<std::string, std::int64_t> shares(std::int64_t start, std::int64_t end,
                                                             unsigned side) const {
        std::map<std::string, std::int64_t> found;
        Time all;
        for (const LadderShare& share : path.shares(kNanosecond * start, kNanosecond * end, side)) {
            found[share.what] = share.took.ps / kNanosecond.ps;
            all += share.took;
        }
        CHECK(all == kNanosecond * (end - start));
        return found;
    }

    const RunConfig run = two_hosts();
    BridgePath path{run};
};

/// A header, behind a payload that is earlier there, from 0 to 500.
void one_message(Told& told) {
    told.works(0, 0, 40, Charge::work);
    told.works(0, 40, 220, Charge::copy);
    told.gives(0, 45, 65, kWindow);  // the payload
    told.waits(0, 45, 123, StoreWait::fence);
    told.sends(0, 105, 107, kWindow);
    told.gives(0, 124, 144, kWindow + 8);  // the header
    told.waits(0, 124, 202, StoreWait::fence);
    told.sends(0, 190, 192, kWindow + 8);  // it has waited for 6 ns at the port
    told.crosses(0, 219);
    told.taken(0, 225);
    told.crosses(0, 304);
    told.taken(0, 310);
    told.works(1, 312, 412, Charge::poll);
    told.works(1, 412, 500, Charge::work);
}

TEST_CASE("each part of a message over a bridge is what the next one waited for", "[bridge]") {
    Told told;
    one_message(told);
    CHECK(told.shares(0, 500, 1) ==
          std::map<std::string, std::int64_t>{{"near, thread: work", 40},
                                              {"near, thread: copy", 5 + 1},
                                              {"near: fence", 78},
                                              {"near: write-combining buffers", 20},
                                              {"near: from the core to the root port", 40},
                                              {"root port of near: waits for link or credits", 6},
                                              {"link of n0", 2},
                                              {"bridge n0", 112},
                                              {"memory and IIO of target", 8},
                                              {"target, thread: poll", 100},
                                              {"target, thread: work", 88}});
}

TEST_CASE("an answer is divided to where its question began", "[bridge]") {
    Told told;
    one_message(told);
    told.works(1, 500, 560, Charge::copy);
    told.gives(1, 510, 530, kWindow);
    told.sends(1, 570, 572, kWindow);
    told.crosses(1, 684);
    told.taken(1, 690);
    told.works(0, 690, 800, Charge::poll);
    auto shares = told.shares(0, 800, 0);
    CHECK(shares["near, thread: poll"] == 110);
    CHECK(shares["bridge n0"] == 2 * 112);
    CHECK(shares["target, thread: copy"] == 10);
    CHECK(shares["near: fence"] == 78);
    CHECK(shares["waits"] == 0);
}

TEST_CASE("what a core was busy with until it looked counts, not the store that came meanwhile", "[bridge]") {
    Told told;
    one_message(told);
    told.works(1, 200, 312, Charge::copy);  // of a message before
    auto shares = told.shares(0, 500, 1);
    CHECK(shares["target, thread: copy"] == 112);
    CHECK(shares["waits"] == 200);
    CHECK(shares["bridge n0"] == 0);
}

TEST_CASE("stores of others are kept apart, whatever becomes of them", "[bridge]") {
    Told told;
    told.sends(0, 1, 3, kWindow + 8192);  // of another connection, and a register
    told.sends(0, 3, 5, 0x1000);
    told.crosses(0, 115);
    told.crosses(0, 117, BridgeStep::Step::to_registers);
    told.taken(0, 117);  // the register's credits come first
    told.taken(0, 121);
    one_message(told);
    auto shares = told.shares(0, 500, 1);
    CHECK(shares["bridge n0"] == 112);
    CHECK(shares["memory and IIO of target"] == 8);
}

TEST_CASE("rows are of stores that follow one another, or of each", "[bridge]") {
    Told told;
    one_message(told);
    REQUIRE(told.path.is_used());
    REQUIRE(told.path.rows(false).size() == 1);
    CHECK(std::get<LadderFrames>(told.path.rows(false)[0].what).label() == "2 MWr of 8");
    CHECK(told.path.rows(true).size() == 2);
    CHECK(told.path.rows(true)[1].at == kNanosecond * 190);
}

}  // namespace
}  // namespace rnicsim
