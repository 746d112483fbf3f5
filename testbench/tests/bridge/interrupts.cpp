// SPDX-License-Identifier: Apache-2.0
// W5 in a host: what interrupts a core, a bridge's doorbell or its card, makes all leave that it has stored.
#include "model/faults/random_faults.h"
#include "model/ntb/bridge.h"
#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "model/system.h"
#include "testbench/kits/kits.h"
#include "testbench/tests/scenario/scenario_file.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::uint64_t kInterruptedTo = 1 << 20;  // near's window at target
constexpr std::uint64_t kInterruptedWord = 0x5A5A'5A5A'5A5A'5A5A;

RunConfig interrupted_hosts() {
    RunConfig config = run_config(ScenarioFile(R"(
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
    verbs_of(config, 0).host.threads = verbs_of(config, 0).host.cpu.cores = 2;
    return config;
}

/// Near's cores each store a word for the target, and nothing drives it out. Doorbells of near are thread 1's.
class TwoCores : private StoreTarget, private BridgeListener {
  public:
    TwoCores()
        : faults_(fault_config(config)), system("system", config, KitEnds({1 << 23, 1 << 23}), faults_, nullptr) {
        system.bridge(0).side(0).open(0, kInterruptedTo);
        near().run_software(software_);
        near().set_bridge_listener(*this);
        for (std::size_t core = 0; core < 2; ++core)
            near().stores()->begin(core, kBegin,
                                   std::array{StoreInstruction{.what = StoreInstruction::What::word,
                                                               .address = window() + kApart * core,
                                                               .word = kInterruptedWord}},
                                   *this, 0);
    }
    [[nodiscard]] VerbsHost& near() { return verbs_end(system, 0).host; }
    [[nodiscard]] VerbsHost& target() { return verbs_end(system, 1).host; }
    [[nodiscard]] std::uint64_t window() { return system.bridge(0).side(0).window_at(0); }
    void ring() {
        const std::uint64_t doorbell = system.bridge(0).side(1).registers_at() + ntb::offset::kDoorbells + 4 * 3;
        target().stores()->begin(
            0, kBegin * 2,
            std::array{StoreInstruction{.what = StoreInstruction::What::doorbell, .address = doorbell, .word = 1}},
            *this, 0);
    }
    void run(Time until) { system.run(until - current_time(), Ahead::allowed); }
    /// Has the target the word of near's core?
    [[nodiscard]] bool has(std::size_t core) { return target().memory.at(kInterruptedTo + kApart * core, 1)[0] != 0; }
    /// When it has, of a core whose interrupt's handler begins then.
    [[nodiscard]] Time there(Cycle begins) {
        const Clock& clock = near().clock();
        const VerbsHostConfig& host = verbs_of(config, 0).host;
        const ntb::Config& bridge = config.bridges.at(0);
        const Cycle at_port = clock.edge(clock.time(begins) + host.cpu.store.evict);
        const Cycle leaves = clock.edge(clock.time(at_port) + host.root_port.down);
        const Cycle sent = clock.edge(clock.time(leaves) + PcieDirection(3, 16).length(24 + 8));
        const Time crossed = clock.time(sent + clock.edge(bridge.latency)) + bridge.translate * 2;
        return target().clock().time(target().clock().edge(crossed));
    }

    static constexpr Time kBegin = kMicrosecond;
    static constexpr std::uint64_t kApart = 4096;
    const RunConfig config = interrupted_hosts();

  private:
    RandomFaults faults_;

  public:
    System system;
    std::optional<Cycle> handler;  ///< begins then

  private:
    /// A card's interrupts are thread 1's, too.
    class Software final : public HostSoftware {
      public:
        explicit Software(TwoCores& of) : of_(of) {}
        void run(Cycle) override {}
        [[nodiscard]] Cycle next_due() const override { return kNever; }
        [[nodiscard]] Thread handled_by(std::uint32_t vector) const override {
            return vector == 0 ? Thread{1} : Thread::first;
        }
        void interrupt(Cycle at, std::uint32_t) override {
            of_.handler = at + verbs_of(of_.config, 0).host.interrupt_latency;
        }
        [[nodiscard]] bool idle() const override { return true; }
        void written(std::uint64_t, std::uint64_t, Time) override {}

      private:
        TwoCores& of_;
    };
    void stores_over(Time, Time, std::uint64_t) override {}
    [[nodiscard]] Thread handled_by(unsigned number, unsigned bit) const override {
        return number == 0 && bit == 3 ? Thread{1} : Thread::first;
    }
    void bridge_interrupted(Cycle at, unsigned, unsigned) override { handler = at; }

    Software software_{*this};
};

void leaves_when_its_handler_begins(TwoCores& bench) {
    bench.run(kMicrosecond * 3);
    REQUIRE(bench.handler);
    const Time there = bench.there(*bench.handler);
    bench.run(there - kPicosecond);
    CHECK_FALSE(bench.has(1));
    bench.run(there + kPicosecond);
    CHECK(bench.has(1));
    bench.run(kMillisecond);
    CHECK_FALSE(bench.has(0));  // nobody has interrupted that core
}

TEST_CASE("W5 a core that a bridge's doorbell interrupts gives what it has stored, and another one keeps it",
          "[bridge]") {
    TwoCores bench;
    bench.ring();
    leaves_when_its_handler_begins(bench);
}
TEST_CASE("W5 ... so does one that its card interrupts", "[bridge]") {
    TwoCores bench;
    bench.system.bridge(0).side(0).set_first_vector(-3U);  // so doorbell 3 is an event of CQ 0
    bench.ring();
    leaves_when_its_handler_begins(bench);
}
TEST_CASE("W5 without an interrupt what was stored stays", "[bridge]") {
    TwoCores bench;
    bench.run(kMillisecond);
    CHECK_FALSE(bench.handler);
    CHECK_FALSE(bench.has(0));
    CHECK_FALSE(bench.has(1));
}

}  // namespace
}  // namespace rnicsim
