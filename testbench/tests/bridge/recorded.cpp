// SPDX-License-Identifier: Apache-2.0
// What a bridge reports becomes events, in an order of their own, and still reaches who judges it.
#include "testbench/events/cycle_order.h"
#include "testbench/events/event_recorder.h"
#include "testbench/records/report_clock.h"
#include "testbench/run/bridge_judge.h"
#include "testbench/tests/support/bridge_bench.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

using Step = BridgeStep::Step;

struct Kept : EventSink {
    void event(const LoggedEvent& event, std::span<const std::uint8_t> bytes) override {
        const auto* const step = std::get_if<BridgeStep>(&event.what);
        if (step == nullptr) return;
        events.push_back(event);
        payloads.emplace_back(bytes.begin(), bytes.end());
    }
    [[nodiscard]] std::vector<LoggedEvent> of(Step step, BridgeTlp tlp = BridgeTlp::write) const {
        std::vector<LoggedEvent> found;
        for (const LoggedEvent& event : events) {
            const auto& is = std::get<BridgeStep>(event.what);
            if (is.step == step && is.tlp == tlp) found.push_back(event);
        }
        return found;
    }
    std::vector<LoggedEvent> events;
    std::vector<std::vector<std::uint8_t>> payloads;
};

/// Hosts 0 and 1 and bridge 0, watched; the window of each leads to 0x4000 of the other one.
struct Watched {
    Watched() {
        judge.add(bridge.bridge, {0, 1}, {"n0 from near", "n0 from far"});
        for (const auto& host : bridge.hosts)
            host->card.at(1'000'000, [of = host.get()](Cycle now) { of->open(now, 0x4000); });
    }
    void run() {
        sc_core::sc_start(to_sc_time(kMicrosecond * 200));
        judge.check_idle();
    }
    static ntb::Config small() {
        ntb::Config config;
        config.window = BridgeBench::kWindow;
        return config;
    }
    static RunConfig config() {
        RunConfig config;
        config.bridges = {small()};
        return config;
    }
    [[nodiscard]] BridgeBench::BenchHost& near() { return *bridge.hosts[0]; }

    const RunConfig run_config = config();
    Kept kept;
    BridgeJudge judge;
    EventRecorder recorder{kept, judge, run_config};
    BridgeBench bridge{"bench", small(), BridgeBench::Options{.observer = &recorder}};
};

TEST_CASE("a store is sent, crosses and gives its credits back, each at its time", "[bridge]") {
    Watched bench;
    const std::vector<std::uint8_t> line(64, 0x5A);
    bench.near().card.at(2'000'000, [&](Cycle now) { bench.near().store(now, 64, line); });
    bench.run();
    CHECK(bench.judge.violation().empty());
    const auto sent = bench.kept.of(Step::sent), came = bench.kept.of(Step::delivered),
               back = bench.kept.of(Step::credits_back);
    REQUIRE(sent.size() == 2 * 2 + 1);  // two registers of each side
    REQUIRE(came.size() == 1);
    REQUIRE(bench.kept.of(Step::to_registers).size() == 2 * 2);
    REQUIRE(back.size() == sent.size());
    const auto& store = std::get<BridgeStep>(sent.back().what);
    CHECK(store.address == bench.near().side.window_at(0) + 64);
    CHECK(std::get<BridgeStep>(came[0].what).address == 0x4040);
    CHECK(std::get<BridgeStep>(came[0].what).bytes == 64);
    CHECK(sent.back().end == 0);
    CHECK(sent.back().at - sent.back().since == PcieDirection(3, 16).length(24 + 64));
    CHECK(store.to == 1);
    CHECK(came[0].at - sent.back().at == Time{80'000 + 2 * 16'000});
    CHECK(back.back().since == came[0].at);  // memory takes no time
    CHECK(back.back().at - back.back().since == Time{80'000} + PcieDirection(3, 16).length(kDllpBytes));
    CHECK(std::ranges::find(bench.kept.payloads, line) != bench.kept.payloads.end());
}

TEST_CASE("who judges a bridge hears all while somebody looks on", "[bridge]") {
    Watched bench;
    const std::vector<std::uint8_t> line(64, 0x5A);
    bench.near().card.at(2'000'000, [&](Cycle now) { bench.near().store(now, 64, line); });
    bench.run();
    CHECK(bench.judge.violation().empty());
    tlm::tlm_generic_payload& other =
        bench.bridge.pool.take_posted(TlpKind::memory_write, bench.near().side.window_at(0), line).transaction;
    bench.recorder.bridge_crossed({0, 0, 1}, other, Observer::Crossed::delivered);
    CHECK(bench.judge.violation().ends_with("crosses out of turn"));
    other.release();
}

TEST_CASE("a load and what answers it have one tag, and registers answer, too", "[bridge]") {
    Watched bench;
    bench.near().card.at(2'000'000, [&](Cycle now) {
        bench.near().load(now, bench.near().side.window_at(0), 8);
        bench.near().load(now, bench.near().side.registers_at() + ntb::offset::kStatus, 8);
        bench.near().load(now, bench.near().side.registers_at() + 0x8000, 8);  // there is none
    });
    bench.run();
    const auto asked = bench.kept.of(Step::sent, BridgeTlp::read);
    REQUIRE(asked.size() == 3);
    const auto answers = bench.kept.of(Step::sent, BridgeTlp::completion),
               refusals = bench.kept.of(Step::sent, BridgeTlp::refusal);
    REQUIRE(answers.size() == 2);
    REQUIRE(refusals.size() == 1);
    CHECK(bench.kept.of(Step::refused, BridgeTlp::read).size() == 1);
    CHECK(bench.kept.of(Step::to_registers, BridgeTlp::read).size() == 1);
    std::vector<std::uint32_t> tags, answered;
    for (const LoggedEvent& event : asked) tags.push_back(std::get<BridgeStep>(event.what).tag);
    for (const auto& all : {answers, refusals})
        for (const LoggedEvent& event : all) {
            answered.push_back(std::get<BridgeStep>(event.what).tag);
            CHECK(event.end == 1);
        }
    std::ranges::sort(tags);
    std::ranges::sort(answered);
    CHECK(answered == tags);
    CHECK(std::get<BridgeStep>(refusals[0].what).bytes == 0);
}

TEST_CASE("a link that goes down and up is told of once, and what it drops", "[bridge]") {
    Watched bench;
    const std::vector<std::uint8_t> line(64, 0x5A);
    ntb::Bridge& bridge = bench.bridge.bridge;
    bench.near().card.at(2'000'000, [&](Cycle now) {
        bridge.set_link(false);
        bench.near().store(now, 64, line);
    });
    bench.near().card.at(9'000'000, [&](Cycle) { bridge.set_link(true); });
    bench.run();
    CHECK(bench.kept.of(Step::link_down).size() == 1);
    CHECK(bench.kept.of(Step::link_up).size() == 1);
    CHECK(bench.kept.of(Step::dropped).size() == 1);
    CHECK(bench.kept.of(Step::delivered, BridgeTlp::interrupt).size() == 2);  // each host; the bit stays set
}

TEST_CASE("how far operations have come is told in one order, whichever end was first", "[bridge]") {
    struct All : EventSink {
        void event(const LoggedEvent& event, std::span<const std::uint8_t>) override { steps.push_back(event); }
        std::vector<LoggedEvent> steps;
    };
    using Of = OperationStep::Step;
    const auto ordered = [](bool other_way) {
        All all;
        CycleOrder order(all, 2, 0);
        const auto event = [](Of step, std::uint32_t number, std::uint8_t part) {
            LoggedEvent is;
            is.what = OperationStep{.step = step, .of = {.asks = 0, .answers = 1}, .number = number, .part = part};
            return is;
        };
        // Of 5 by the host that answers; the others by the one that asks, whose events these all are.
        const std::vector<LoggedEvent> there{event(Of::marked, 5, 0)},
            here{event(Of::marked, 3, 1), event(Of::ended, 3, 0), event(Of::asked, 7, 0)};
        for (const auto* const by : {other_way ? &there : &here, other_way ? &here : &there})
            for (const LoggedEvent& one : *by) order.event(one, {});
        order.finish();
        return all.steps;
    };
    CHECK(ordered(false) == ordered(true));
    const std::vector<LoggedEvent> steps = ordered(false);
    REQUIRE(steps.size() == 4);
    CHECK(std::get<OperationStep>(steps[0].what).step == Of::asked);
    CHECK(std::get<OperationStep>(steps[2].what).step == Of::ended);
}

TEST_CASE("events of a bridge come in one order, whoever was first", "[bridge]") {
    const auto ordered = [](bool other_way) {
        Kept kept;
        CycleOrder order(kept, 2, 1);
        const auto event = [](Step step, unsigned end, std::int64_t since, std::uint64_t address) {
            LoggedEvent is;
            is.since = Time{since};
            is.at = Time{since + 100};
            is.end = static_cast<std::uint16_t>(end);
            is.what = BridgeStep{.step = step, .to = static_cast<std::uint16_t>(1 - end), .address = address};
            return is;
        };
        std::vector<LoggedEvent> all{event(Step::credits_back, 1, 3, 0), event(Step::credits_back, 1, 2, 0),
                                     event(Step::sent, 1, 2, 16),        event(Step::sent, 1, 2, 8),
                                     event(Step::sent, 0, 1, 24),        event(Step::delivered, 0, 1, 32)};
        if (other_way) std::ranges::reverse(all);
        for (const LoggedEvent& one : all) order.event(one, {});
        order.finish();
        return kept.events;
    };
    CHECK(ordered(false) == ordered(true));
    const std::vector<LoggedEvent> events = ordered(false);
    CHECK(std::get<BridgeStep>(events.front().what).address == 24);  // of the first host
    CHECK(events.back().since == Time{3});                           // of credits the last
}

}  // namespace
}  // namespace rnicsim
