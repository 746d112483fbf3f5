// SPDX-License-Identifier: Apache-2.0
// Each sum of a bridge is made wrong on purpose, and named: what the checks of every run look for, they find.
#include "testbench/run/conservation.h"
#include "testbench/run/bridge_judge.h"
#include "testbench/tests/support/bridge_bench.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

/// Stands between bridge and judge; what it changes the judge is not told.
struct Saboteur : Observer {
    explicit Saboteur(BridgeJudge& of) : judge(of) {}
    void bridge_sent(const Crossing& way, tlm::tlm_generic_payload& transaction, Time left) override {
        judge.bridge_sent(way, transaction, left);
        if (on_sent && way.from == 0) on_sent(transaction);
    }
    void bridge_crossed(const Crossing& way, tlm::tlm_generic_payload& transaction, Crossed how) override {
        judge.bridge_crossed(way, transaction, how);
        if (on_crossed && way.from == 0) on_crossed(transaction);
    }
    void memory_access(unsigned host, const tlm::tlm_generic_payload& transaction) override {
        judge.memory_access(host, transaction);
    }
    void upstream_tlp(unsigned /*end*/, tlm::tlm_generic_payload& /*transaction*/, Time /*due*/) override {}
    void frame_sent(unsigned /*end*/, const Frame& /*frame*/, Time /*left*/) override {}

    BridgeJudge& judge;
    std::function<void(tlm::tlm_generic_payload&)> on_sent, on_crossed;
};

/// 20 lines from host 0 to 0x4000 of host 1, and then they stand still.
struct Bench {
    static constexpr std::array<unsigned, 2> kBetween{0, 1};
    Bench() {
        judge.add(bridge.bridge, kBetween, names);
        for (const auto& host : bridge.hosts)
            host->card.at(1'000'000, [of = host.get()](Cycle now) { of->open(now, 0x4000); });
        BridgeBench::BenchHost& first = *bridge.hosts[0];
        for (unsigned i = 0; i < 20; ++i)
            first.card.at(2'000'000 + i, [&, i](Cycle now) { first.store(now, 64 * i, line); });
    }
    std::string run() {
        sc_core::sc_start(to_sc_time(kMicrosecond * 100));
        judge.check_idle();
        Sums sums;
        check_bridge(bridge.bridge, names, true, sums);
        sum = sums.wrong();
        return judge.violation();
    }
    static ntb::Config small() {
        ntb::Config config;
        config.window = BridgeBench::kWindow;
        return config;
    }

    const std::array<std::string, 2> names{"n0 from near", "n0 from far"};
    const std::vector<std::uint8_t> line = std::vector<std::uint8_t>(64, 0x5A);
    BridgeJudge judge;
    Saboteur saboteur{judge};
    BridgeBench bridge{"bench", small(), BridgeBench::Options{.observer = &saboteur}};
    std::string sum;
};

/// The nth of those that it is shown.
std::function<void(tlm::tlm_generic_payload&)> at(unsigned number, std::function<void(tlm::tlm_generic_payload&)> act) {
    return [=, seen = 0U](tlm::tlm_generic_payload& transaction) mutable {
        if (tlp(transaction).kind == TlpKind::memory_write && seen++ == number) act(transaction);
    };
}
/// Behind the two that open the window.
constexpr unsigned kThird = 4;

TEST_CASE("without sabotage nothing is wrong", "[bridge]") {
    Bench bench;
    CHECK(bench.run().empty());
    CHECK(bench.sum.empty());
}
TEST_CASE("NI1: a store at another address than the window's", "[bridge]") {
    Bench bench;
    bench.saboteur.on_crossed = at(kThird, [](auto& store) { store.set_address(store.get_address() + 64); });
    CHECK_THAT(bench.run(), ContainsSubstring("n0 from near: the store of 64 B to 0x4080 is written to 0x40c0"));
}
TEST_CASE("NI1: a store whose bytes change on their way", "[bridge]") {
    Bench bench;
    bench.saboteur.on_sent = at(kThird, [](auto& store) { store.get_data_ptr()[63] ^= 1U; });
    CHECK_THAT(bench.run(), EndsWith("the store of 64 B to 0x4080 is written with other bytes"));
}
TEST_CASE("NI1, NI2: a store that loses bytes behind the bridge", "[bridge]") {
    Bench bench;
    bench.saboteur.on_crossed = at(kThird, [](auto& store) { store.set_data_length(60); });  // of as many credits
    CHECK_THAT(bench.run(), EndsWith("the store of 64 B to 0x4080 is written with 60 B"));
    CHECK_THAT(bench.sum,
               EndsWith("bytes delivered against those that the other root port has taken: 1280 are not 1276"));
}
TEST_CASE("NI2: a store that loses bytes before the bridge", "[bridge]") {
    Bench bench;
    bench.saboteur.on_sent = at(kThird, [](auto& store) { store.set_data_length(60); });
    bench.run();
    CHECK_THAT(bench.sum, EndsWith("bytes that its root port has sent against those that came: 1296 are not 1292"));
}
TEST_CASE("NI6: data credits that do not come back", "[bridge]") {
    Bench bench;
    bench.saboteur.on_sent = at(kThird, [](auto& store) { store.set_data_length(16); });
    bench.run();
    CHECK_THAT(bench.sum, EndsWith("units of 16 B whose credits are not back: 3 are not 0"));
}
TEST_CASE("NI2: a TLP more at the other root port than has been delivered", "[bridge]") {
    Bench bench;
    bench.saboteur.on_crossed = at(kThird, [](auto& store) { ++tlp(store).count.tlps; });
    CHECK(bench.run().empty());  // memory is right
    CHECK_THAT(bench.sum, EndsWith("stores delivered against those that the other root port has taken: 20 are not 21"));
}
TEST_CASE("NI2: a TLP more than the root port has sent", "[bridge]") {
    Bench bench;
    bench.saboteur.on_sent = at(kThird, [](auto& store) { ++tlp(store).count.tlps; });
    CHECK(bench.run().empty());
    CHECK_THAT(bench.sum, EndsWith("stores that its root port has sent against those that came: 22 are not 23"));
}
TEST_CASE("NI1: a store that a window takes, but not the bridge, and the other way round", "[bridge]") {
    Bench bench;
    bench.run();
    const std::uint64_t window = bench.bridge.bridge.side(0).window_at(0);
    const auto crossed = [&](std::uint64_t address, Observer::Crossed how) {
        BridgeJudge judge;
        judge.add(bench.bridge.bridge, Bench::kBetween, bench.names);
        const std::array<std::uint8_t, 8> eight{};
        tlm::tlm_generic_payload& store =
            bench.bridge.pool.take_posted(TlpKind::memory_write, address, eight).transaction;
        judge.bridge_sent({0, 0, 1}, store, Time{});
        judge.bridge_crossed({0, 0, 1}, store, how);
        store.release();
        return judge.violation();
    };
    const std::uint64_t end = window + BridgeBench::kWindow;
    CHECK(crossed(end - 8, Observer::Crossed::delivered).empty());
    CHECK(crossed(end - 7, Observer::Crossed::refused).empty());
    CHECK_THAT(crossed(end - 8, Observer::Crossed::refused), EndsWith("is refused, though a window takes it"));
    CHECK_THAT(crossed(end - 7, Observer::Crossed::delivered), EndsWith("crosses, though no window takes it"));
    CHECK_THAT(crossed(window - 8, Observer::Crossed::delivered), EndsWith("crosses, though no window takes it"));
}
TEST_CASE("NI2: stores that overtake each other, or go nowhere", "[bridge]") {
    PciePool pool;
    const ntb::Bridge bridge("bridge", Bench::small(), pool);
    const std::array<std::uint8_t, 8> eight{};
    tlm::tlm_generic_payload& first = pool.take_posted(TlpKind::memory_write, 0x10, eight).transaction;
    tlm::tlm_generic_payload& second = pool.take_posted(TlpKind::memory_write, 0x20, eight).transaction;
    const auto sent = [&](auto act) {
        BridgeJudge judge;
        judge.add(bridge, Bench::kBetween, {"n0 from near", "n0 from far"});
        judge.bridge_sent({0, 1, 0}, first, Time{});
        judge.bridge_sent({0, 1, 0}, second, Time{});
        act(judge);
        return judge.violation();
    };
    const auto out_of_turn = [&](BridgeJudge& judge) {
        judge.bridge_crossed({0, 1, 0}, second, Observer::Crossed::dropped);
    };
    CHECK_THAT(sent(out_of_turn), EndsWith("n0 from far: the store of 8 B to 0x20 crosses out of turn"));
    const auto one = [&](BridgeJudge& judge) { judge.bridge_crossed({0, 1, 0}, first, Observer::Crossed::dropped); };
    CHECK(sent(one).empty());
    const auto nowhere = [&](BridgeJudge& judge) {
        one(judge);
        judge.check_idle();
    };
    CHECK_THAT(sent(nowhere), EndsWith("the store of 8 B to 0x20 has not crossed, and nothing is under way"));
    first.release();
    second.release();
}

}  // namespace
}  // namespace rnicsim
