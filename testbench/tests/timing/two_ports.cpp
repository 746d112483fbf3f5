// SPDX-License-Identifier: Apache-2.0
// A root complex with more than one port: who gets what, in which order, to the cycle.
#include "model/host/host.h"
#include "testbench/tests/support/ports_bench.h"

#include "testbench/tests/support/cycles.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <vector>

namespace rnicsim {
namespace {

// Gen1 x1: half a cycle a byte. MPS 128, MRRS 512, RCB 64.
constexpr PcieConfig kPcie{1, 1, 128, 512, 64, 32, Cycle{19}, Cycle{10}};

void simulate(const PortsBench& /*bench*/) { sc_core::sc_start(to_sc_time(cycles(100'000))); }
constexpr Cycle cycle(std::int64_t n) { return {n}; }

/// Both devices write the same bytes, due at 171, but the second one has put them on its link first.
void write_at_once(PortsBench& bench) {
    bench.other().source.fill(2);
    bench.card().source.fill(1);
    bench.other().at(99, [&](Cycle) { bench.other().write(cycle(100), 0x1000, 64); });
    bench.card().at(100, [&](Cycle now) { bench.card().write(now, 0x1000, 64); });
    simulate(bench);
    const std::vector<PortsBench::Access> both{{cycle(171), 0x1000}, {cycle(171), 0x1000}};
    CHECK(bench.accesses == both);
    CHECK(bench.memory->at(0x1000, 64)[63] == 2);
}

TEST_CASE("ports: what is due in one cycle is done in the order of the ports", "[timing]") {
    PortsBench bench("bench", kPcie, 2);
    write_at_once(bench);
}

TEST_CASE("ports: ... in whatever order the parts are built", "[timing]") {
    PortsBench bench("bench", kPcie, 2, {kGmiiClock, true, false});
    write_at_once(bench);
}

TEST_CASE("ports: with several nothing is done ahead of time", "[timing]") {
    PortsBench one("one", kPcie, 1, {kGmiiClock, false, true}), two("two", kPcie, 2, {kGmiiClock, false, true});
    for (PortsBench* const bench : {&one, &two}) {
        bench->card().source.fill(7);
        bench->card().at(100, [bench](Cycle now) { bench->card().write(now, 0x1000, 64); });
    }
    sc_core::sc_start(to_sc_time(cycles(170)));
    CHECK(one.memory->at(0x1000, 64)[0] == 7);  // nothing could come before
    CHECK(two.memory->at(0x1000, 64)[0] == 0);
    sc_core::sc_start(to_sc_time(cycles(2)));
    CHECK(two.memory->at(0x1000, 64)[0] == 7);
    CHECK(two.accesses == std::vector<PortsBench::Access>{{cycle(171), 0x1000}});
}

TEST_CASE("ports: a read is answered down the port that it came up", "[timing]") {
    PortsBench bench("bench", kPcie, 2);
    bench.memory->at(0x2000, 1)[0] = 0x77;
    bench.other().at(100, [&](Cycle now) { bench.other().read(now, 0x2000, 512); });
    simulate(bench);
    // 10 set-up; 10; 19. Memory: 40 + 12. 4 CplD of 74; 19.
    CHECK(bench.other().reads_done == std::vector{cycle(100 + 39 + 52 + 296 + 19)});
    CHECK(bench.other().target[0] == 0x77);
    CHECK(bench.card().reads_done.empty());
    CHECK(bench.pool.in_use() == 0);
}

TEST_CASE("ports: the processor's writes go to the device that has the address", "[timing]") {
    PortsBench bench("bench", kPcie, 2);
    const std::array<std::uint8_t, 64> bytes{};
    bench.card().at(100, [&](Cycle now) {
        bench.root->write(now, kBar0 + 0x10, std::span(bytes).first(4));
        bench.root->write(now, bench.bar + 0x20, std::span(bytes).first(4));
        bench.root->write_register(now, 0x30, std::span(bytes).first(4));
        bench.root->write(now, kBar0 + 4096 - 8, std::span(bytes).first(16));  // its second TLP goes nowhere
    });
    simulate(bench);
    // 24 bytes on the link; with a header of 64 bits 28. What cores store is 5 cycles on its way to the port; the
    // driver's write is there at once, and keeps the others waiting.
    const std::vector<ScriptedEndpoint::Doorbell> card{
        {cycle(100 + 12 + 19), 0x30, 4}, {cycle(112 + 12 + 19), 0x10, 4}, {cycle(124 + 14 + 19), 4096 - 8, 8}};
    const std::vector<ScriptedEndpoint::Doorbell> other{{cycle(105 + 14 + 19), 0x20, 4}};
    CHECK(bench.card().doorbells == card);
    CHECK(bench.other().doorbells == other);
    CHECK(bench.root->unsupported() == 1);
    CHECK(bench.pool.in_use() == 0);
}

TEST_CASE("ports: where nothing is, writes are dropped and reads get all ones", "[timing]") {
    PortsBench bench("bench", kPcie, 2);
    const std::uint64_t behind = PortsBench::kMemory;
    const std::array<std::uint8_t, 4> word{};
    bench.card().at(100, [&](Cycle now) { bench.card().write(now, behind, 256); });        // two MWr
    bench.card().at(1000, [&](Cycle now) { bench.card().read(now, behind, 1024); });       // two MRd
    bench.other().at(2000, [&](Cycle now) { bench.other().write(now, kBar0, 4); });        // the card's BAR
    bench.other().at(3000, [&](Cycle now) { bench.other().write(now, behind - 4, 64); });  // half of it: both MWr
    bench.other().at(4000, [&](Cycle now) { bench.root->write(now, bench.bar + 4096, word); });
    simulate(bench);
    CHECK(bench.root->unsupported() == 2 + 2 + 1 + 2 + 1);
    CHECK(bench.memory->at(behind - 4, 4)[3] == 0);
    CHECK(bench.card().doorbells.empty());
    CHECK(bench.other().doorbells.empty());
    for (std::size_t i = 0; i < 1024; ++i) REQUIRE(bench.card().target[i] == 0xFF);
    CHECK(bench.card().target[1024] == 0);
    // 10 set-up; 2 MRd of 20 bytes; 19. No memory: their Ack DLLPs, 8; two completions of 20 bytes; 19.
    CHECK(bench.card().reads_done == std::vector{cycle(1000 + 49 + 8 + 20 + 19)});
    CHECK(bench.card().pcie.tags_in_use() == 0);
    CHECK(bench.pool.in_use() == 0);
}

TEST_CASE("ports: a write of four bytes to the interrupts' range is an MSI", "[timing]") {
    PortsBench bench("bench", kPcie, 2);
    bench.other().source = {5, 1};
    bench.other().at(100, [&](Cycle now) {
        bench.other().write(now, kInterrupts + 0x1000, 4);
        bench.other().write(now, kInterrupts, 8);  // is none
    });
    simulate(bench);
    REQUIRE(bench.interrupts.size() == 1);
    CHECK(bench.interrupts[0].first == cycle(100 + 10 + 12 + 19));
    CHECK(bench.interrupts[0].second == 0x105);
    CHECK(bench.root->unsupported() == 1);
}

class QuietHost final : public Host {
  public:
    QuietHost(sc_core::sc_module_name name, std::uint64_t bytes, PciePool& pool, const Horizon& horizon)
        : Host(name, {{}, {}, kPcie, {}, kGmiiClock, bytes}, pool, horizon) {}

  private:
    void run(Cycle) override {}
    [[nodiscard]] Cycle next_task() const override { return kNever; }
    void interrupted(Cycle, std::uint32_t) override {}
    [[nodiscard]] bool rests_until(Cycle) const override { return true; }
};

TEST_CASE("ports: a host's map has its memory, the card's registers and the interrupts, apart", "[timing]") {
    PciePool pool;
    const Horizon horizon;
    QuietHost small("small", 1 << 20, pool, horizon), large("large", std::uint64_t{5} << 30, pool, horizon);
    CHECK(small.root_complex.map.ranges().size() == 3);
    CHECK(small.root_complex.map.find((1 << 20) - 1, 1)->kind == AddressKind::dram);
    CHECK(small.root_complex.map.find(1 << 20, 1) == nullptr);
    CHECK(small.root_complex.map.find(kBar0, kLeastBar)->kind == AddressKind::bar);
    CHECK(large.root_complex.map.ranges().size() == 4);
    CHECK(large.root_complex.map.find(kBar0 - 1, 1)->kind == AddressKind::dram);
    CHECK(large.root_complex.map.find(kBar0, 1)->kind == AddressKind::bar);
    CHECK(large.root_complex.map.find(kInterrupts, 4)->kind == AddressKind::msi);
    CHECK(large.root_complex.map.find(kAboveDevices, std::uint64_t{1} << 30)->kind == AddressKind::dram);
}

}  // namespace
}  // namespace rnicsim
