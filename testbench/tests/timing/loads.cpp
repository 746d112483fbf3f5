// SPDX-License-Identifier: Apache-2.0
// A core's loads from a device: when the device sees them, when the core has the data, and what it gets if nobody
// answers.
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/ports_bench.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

namespace rnicsim {
namespace {

// Gen1 x1: half a cycle a byte. MPS 128, MRRS 512, RCB 64.
constexpr PcieConfig kPcie{1, 1, 128, 512, 64, 32, Cycle{19}, Cycle{10}};
constexpr std::vector<std::uint8_t>::size_type kEight = 8;

void simulate(const PortsBench& /*bench*/) { sc_core::sc_start(to_sc_time(cycles(100'000))); }
constexpr Cycle cycle(std::int64_t n) { return {n}; }
constexpr Time at_cycle(std::int64_t n) { return kGmiiClock.time(Cycle{n}); }

TEST_CASE("load: closed form, to the picosecond, from both sides", "[timing]") {
    // Gen3 x16: a byte takes 65/1024 ns. 80 ns one way. Everybody's clock has a period of 1 ps.
    const PcieConfig link{3, 16, 256, 512, 64, 32, Cycle{80'000}, Cycle{10}};
    PortsBench bench("bench", link, 2, {Clock{kPicosecond}, false, false, {}});
    bench.other().registers[0x107] = 0x5A;
    for (const std::int64_t start : {1'000'000, 2'000'001}) {
        bench.card().at(start, [&](Cycle now) { bench.load(now, bench.bar + 0x100, 8); });
        bench.card().at(start + 500'000, [&](Cycle now) { bench.load(now, bench.bar + 0x140, 64); });
    }
    simulate(bench);
    // 40 ns down to the port; MRd of 24 bytes: 1523.4 ps, rounded up; 80 ns. CplD of 28 bytes: 1777.3; 80 ns; 40 ns.
    const Time device{40'000 + 1'524 + 80'000}, host = device + Time{1'778 + 80'000 + 40'000};
    CHECK(host == Time{2 * (40'000 + 80'000) + 1'524 + 1'778});
    // ... of 84 bytes: 5332.03.
    const Time line = device + Time{5'333 + 80'000 + 40'000};
    REQUIRE(bench.loads.size() == 4);
    REQUIRE(bench.other().loads.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        const Time start{(i < 2 ? 1'000'000 : 2'000'001) + (i % 2 == 0 ? 0 : 500'000)};
        CHECK(Time{bench.other().loads[i].at.n} == start + device);
        CHECK(bench.loads[i].at == start + (i % 2 == 0 ? host : line));
        CHECK(bench.loads[i].told == bench.loads[i].at - Time{40'000});
    }
    CHECK(bench.other().loads[0].offset == 0x100);
    CHECK(bench.loads[0].bytes == std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 0, 0x5A});
    CHECK(bench.loads[1].bytes == std::vector<std::uint8_t>(64));
    CHECK(bench.root->unsupported() == 0);
    CHECK(bench.pool.in_use() == 0);
}

TEST_CASE("load: with slower clocks each side acts at its edges", "[timing]") {
    PortsBench bench("bench", kPcie, 2);
    bench.card().at(100, [&](Cycle now) {
        bench.load(now, bench.bar + 8, 8);
        bench.load(now, kBar0 + 8, 4);  // a header of 32 bits: 20 bytes
    });
    simulate(bench);
    REQUIRE(bench.loads.size() == 2);
    CHECK(bench.card().loads == std::vector<ScriptedEndpoint::Doorbell>{{cycle(105 + 10 + 19), 8, 4}});
    CHECK(bench.other().loads == std::vector<ScriptedEndpoint::Doorbell>{{cycle(105 + 12 + 19), 8, 8}});
    CHECK(bench.loads[0].at == at_cycle(134 + 12 + 19 + 5));
    CHECK(bench.loads[1].at == at_cycle(136 + 14 + 19 + 5));
}

TEST_CASE("load: its completion comes behind what the device has written", "[timing]") {
    PortsBench bench("bench", kPcie, 2);
    bench.other().at(100, [&](Cycle now) { bench.other().write(now, 0x1000, 1024); });
    bench.other().at(101, [&](Cycle now) { bench.load(now, bench.bar, 8); });
    simulate(bench);
    // The write's 592 cycles begin at 110.
    REQUIRE(bench.loads.size() == 1);
    CHECK(bench.accesses == std::vector<PortsBench::Access>{{cycle(702 + 19), 0x1000}});
    CHECK(bench.loads[0].at == at_cycle(702 + 14 + 19 + 5));
}

TEST_CASE("load: what comes up the link is acknowledged before a core's access of the same cycle", "[timing]") {
    PortsBench bench("bench", kPcie, 2);
    const std::array<std::uint8_t, 4> word{};
    bench.other().at(100, [&](Cycle now) { bench.other().write(now, 0x1000, 64); });  // is there at 171
    bench.other().at(166, [&](Cycle now) { bench.root->write(now, bench.bar, word); });
    simulate(bench);
    CHECK(bench.other().doorbells == std::vector<ScriptedEndpoint::Doorbell>{{cycle(171 + 4 + 14 + 19), 0, 4}});
}

TEST_CASE("load: stores and loads of cores keep their order, but stores pass loads without a tag", "[timing]") {
    PortsBench bench("bench", kPcie, 2, {kGmiiClock, false, false, {at_cycle(5), kMillisecond * 50, 2}});
    const std::array<std::uint8_t, 4> word{};
    bench.other().at(100, [&](Cycle now) {
        bench.root->write(now, bench.bar, word);
        for (std::uint64_t i = 0; i < 3; ++i) bench.load(now, bench.bar + 8 * i, 8, i);
        bench.root->write(now, bench.bar + 4, word);
    });
    simulate(bench);
    // From 105 on: MWr 14, two MRd 12 each, MWr 14.
    const std::vector<ScriptedEndpoint::Doorbell> stores{{cycle(105 + 14 + 19), 0, 4}, {cycle(143 + 14 + 19), 4, 4}};
    CHECK(bench.other().doorbells == stores);
    REQUIRE(bench.loads.size() == 3);
    // The first completion: behind the Ack DLLP of the MWr, which is over by then. Its own Ack is before the third MRd.
    const std::int64_t first = 119 + 12 + 19 + 14 + 19;
    CHECK(bench.loads[0].at == at_cycle(first + 5));
    CHECK(bench.other().loads[1].at == cycle(131 + 12 + 19));
    CHECK(bench.other().loads[2].at == cycle(first + 4 + 12 + 19));
    CHECK(bench.loads[2].context == 2);
    CHECK(bench.root->port(1).idle());
    CHECK(bench.pool.in_use() == 0);
}

TEST_CASE("load: all ones from where nothing is, and from a register that nobody can read", "[timing]") {
    PortsBench bench("bench", kPcie, 2);
    bench.other().at(100, [&](Cycle now) { bench.load(now, bench.bar + 4096, 8, 1); });
    bench.other().at(200, [&](Cycle now) { bench.load(now, bench.bar + 2048, 8, 2); });
    bench.other().at(300, [&](Cycle now) { bench.load(now, kInterrupts, 4, 3); });
    simulate(bench);
    REQUIRE(bench.loads.size() == 3);
    for (const PortsBench::Loaded& load : bench.loads)
        CHECK(load.bytes == std::vector<std::uint8_t>(load.context == 3 ? 4 : kEight, 0xFF));
    CHECK(bench.loads[0].at == at_cycle(100 + 2 * 5));
    CHECK(bench.loads[1].at == at_cycle(205 + 12 + 19 + 10 + 19 + 5));  // a completion of 20 bytes
    CHECK(bench.loads[2].at == at_cycle(300 + 2 * 5));
    CHECK(bench.root->unsupported() == 3);
    CHECK(bench.pool.in_use() == 0);
}

/// Answers a load when it is told to, or never.
class SlowDevice : public sc_core::sc_module {
  public:
    explicit SlowDevice(sc_core::sc_module_name name) : sc_module(name) {
        upstream.register_nb_transport_bw(this, &SlowDevice::comes);
        downstream.register_nb_transport_fw(this, &SlowDevice::comes);
    }
    PcieInitiatorSocket<SlowDevice> upstream{"upstream"};
    PcieTargetSocket<SlowDevice> downstream{"downstream"};
    std::vector<tlm::tlm_generic_payload*> loads;

    void answer(std::size_t load, Time arrives) {
        loads[load]->get_data_ptr()[0] = 0x42;
        loads[load]->set_response_status(tlm::TLM_OK_RESPONSE);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = to_sc_time(arrives - current_time());
        downstream->nb_transport_bw(*loads[load], phase, delay);
    }

  private:
    tlm::tlm_sync_enum comes(tlm::tlm_generic_payload& transaction, tlm::tlm_phase&, sc_core::sc_time&) {
        loads.push_back(&transaction);
        return tlm::TLM_ACCEPTED;
    }
};

TEST_CASE("load: given up at the end of its time, not before; a later completion is dropped", "[timing]") {
    constexpr std::int64_t kTimeout = 1000;
    PortsBench bench("bench", kPcie, 1, {kGmiiClock, false, false, {at_cycle(5), at_cycle(kTimeout), 2}});
    SlowDevice device("device");
    RootPort& port = bench.root->add_port(kPcie);
    device.upstream.bind(port.upstream);
    port.downstream.bind(device.downstream);
    const std::uint64_t bar = bench.root->map.add_bar(1, 0, kLeastBar);
    ScriptedEndpoint& script = bench.card();
    script.at(100, [&](Cycle now) {
        for (std::uint64_t i = 0; i < 3; ++i) bench.load(now, bar, 1, i);  // the third has no tag
    });
    const std::int64_t over = 105 + kTimeout, second = over + 12;      // it leaves when the first one has, of 12 cycles
    script.at(500, [&](Cycle) { device.answer(0, at_cycle(over)); });  // in the very cycle of its end
    script.at(501, [&](Cycle) { device.answer(1, at_cycle(second + 1)); });  // too late
    script.at(over - 1, [&](Cycle) { CHECK(bench.loads.empty()); });
    script.at(second - 1, [&](Cycle) { CHECK(bench.loads.size() == 1); });
    script.at(second + 2, [&](Cycle) { CHECK(bench.loads.size() == 2); });
    simulate(bench);
    REQUIRE(bench.loads.size() == 3);
    CHECK(bench.loads[0].context == 0);
    CHECK(bench.loads[0].at == at_cycle(over + 5));
    CHECK(bench.loads[0].bytes == std::vector<std::uint8_t>{0x42});
    CHECK(bench.loads[1].context == 1);
    CHECK(bench.loads[1].at == at_cycle(second + 5));
    CHECK(bench.loads[1].bytes == std::vector<std::uint8_t>{0xFF});
    // The third left when the first had come, and is never answered.
    CHECK(bench.loads[2].at == at_cycle(over + kTimeout + 5));
    CHECK(bench.loads[2].bytes == std::vector<std::uint8_t>{0xFF});
    CHECK(port.timeouts() == 2);
    CHECK(port.late_completions() == 1);
    CHECK(port.idle());
    CHECK(bench.pool.in_use() == 1);  // the device still has it
}

}  // namespace
}  // namespace rnicsim
