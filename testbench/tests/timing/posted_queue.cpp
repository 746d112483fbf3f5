// SPDX-License-Identifier: Apache-2.0
// What cores store waits at the root port: for a place, for the link, for the device's credits.
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/ports_bench.h"
#include "testbench/tests/support/recording_device.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

// Gen1 x1: half a cycle a byte. MPS 128, MRRS 512, RCB 64.
constexpr PcieConfig kPostedLink{1, 1, 128, 512, 64, 32, Cycle{19}, Cycle{10}};
// Gen3 x16: 65/1024 ns a byte; a line takes 5586 ps, a word 1778, less than a cycle.
constexpr PcieConfig kFastLink{3, 16, 256, 512, 64, 32, Cycle{10}, Cycle{10}};
constexpr std::int64_t kWordOnLink = 14, kLineOnLink = 44;  // cycles on the link of stores of 4 and of 64 bytes
constexpr std::array<std::uint8_t, 64> kStored{};
using StoresCame = std::vector<RecordingDevice::Came>;
using GateAsked = std::vector<CountingGate::Asked>;

constexpr Time edge_at(std::int64_t n) { return kGmiiClock.time(Cycle{n}); }

/// The card has the script; the other device records.
struct PostedBench {
    explicit PostedBench(std::uint32_t posted, const PcieConfig& link = kPostedLink, bool devices_first = false)
        : bench("bench", link, 1, {kGmiiClock, devices_first, false, {edge_at(5), kMillisecond * 50, 32, posted}}),
          port(bench.root->add_port(link)),
          bar(bench.root->map.add_bar(1, 0, kLeastBar)),
          device("device", bar, kLeastBar, edge_at(30)) {
        device.bind(port);
    }
    void at(std::int64_t cycle, std::function<void(Cycle)> action) { bench.card().at(cycle, std::move(action)); }
    void store(Cycle now, std::uint64_t offset, std::size_t bytes) {
        bench.root->write(now, bar + offset, std::span(kStored).first(bytes));
    }
    static void simulate() { sc_core::sc_start(to_sc_time(cycles(100'000))); }
    void check_over() const {
        CHECK(port.idle());
        CHECK(bench.pool.in_use() == 0);
    }

    PortsBench bench;
    RootPort& port;
    std::uint64_t bar;
    RecordingDevice device;
};

/// Stores words as soon as there are places, at offsets from its own on.
class Waiting : public PlaceTarget {
  public:
    Waiting(PostedBench& bench, std::uint64_t offset, int stores) : bench_(bench), offset_(offset), left_(stores) {}
    void go(Cycle now) {
        while (left_ != 0 && bench_.bench.root->has_place(now, bench_.bar, 4, *this)) store(now);
    }
    void place_free(Cycle now) override {
        store(now);
        go(now);
    }
    std::vector<Cycle> stored;

  private:
    void store(Cycle now) {
        stored.push_back(now);
        bench_.store(now, offset_ + 4 * stored.size(), 4);
        --left_;
    }
    PostedBench& bench_;
    std::uint64_t offset_;
    int left_;
};

TEST_CASE("posted: a place is free when its store begins to leave", "[timing]") {
    PostedBench bench(2);
    Waiting core(bench, 0, 5);
    bench.at(100, [&](Cycle now) { core.go(now); });
    PostedBench::simulate();
    // The first two leave from 105 on; of each of the others `down` begins with its place.
    CHECK(core.stored == std::vector<Cycle>{{100}, {100}, {105}, {105 + kWordOnLink}, {105 + 2 * kWordOnLink}});
    StoresCame wanted;
    for (std::int64_t i = 0; i < 5; ++i)
        wanted.push_back({edge_at(105 + (i + 1) * kWordOnLink + 19), 4 * static_cast<std::uint64_t>(i + 1), 4});
    CHECK(bench.device.stores == wanted);
    bench.check_over();
}

TEST_CASE("posted: with one place every store pays the way down", "[timing]") {
    PostedBench bench(1);
    Waiting core(bench, 0, 3);
    bench.at(100, [&](Cycle now) { core.go(now); });
    bench.at(102, [&](Cycle now) { CHECK(bench.bench.root->has_place(now, kInterrupts, 4, core)); });  // not its port
    PostedBench::simulate();
    // The link is busy for 14 cycles: the third waits for it, and has no place before.
    CHECK(core.stored == std::vector<Cycle>{{100}, {105}, {119}});
    CHECK(bench.device.stores[2].at == edge_at(105 + 3 * kWordOnLink + 19));
    bench.check_over();
}

TEST_CASE("posted: cores that wait have their turns one by one", "[timing]") {
    PostedBench bench(1);
    Waiting first(bench, 0x000, 3), second(bench, 0x400, 3);
    bench.at(100, [&](Cycle now) { first.go(now); });
    bench.at(101, [&](Cycle now) { second.go(now); });
    PostedBench::simulate();
    // Each has asked again when the other one has stored.
    CHECK(first.stored == std::vector<Cycle>{{100}, {105}, {105 + 2 * kWordOnLink}});
    CHECK(second.stored == std::vector<Cycle>{{105 + kWordOnLink}, {105 + 3 * kWordOnLink}, {105 + 4 * kWordOnLink}});
    bench.check_over();
}

void do_not_pass(bool devices_first) {
    PostedBench bench(2, kFastLink, devices_first);
    Waiting first(bench, 0x000, 4), second(bench, 0x400, 1);
    bench.at(100, [&](Cycle now) { first.go(now); });
    // The second store has begun in 105, so there is a place: whether or not the port has given it away by now.
    bench.at(106, [&](Cycle now) { second.go(now); });
    PostedBench::simulate();
    CHECK(first.stored == std::vector<Cycle>{{100}, {100}, {105}, {106}});
    CHECK(second.stored == std::vector<Cycle>{{110}});
    bench.check_over();
}

TEST_CASE("posted: who comes later does not pass who waits, though there is a place", "[timing]") {
    do_not_pass(false);
}

TEST_CASE("posted: ... in whatever order the parts are built", "[timing]") { do_not_pass(true); }

TEST_CASE("posted: without credits nothing passes, loads neither, until there are some", "[timing]") {
    PostedBench bench(32);
    CountingGate gate;
    gate.credits = 1;
    bench.port.set_gate(gate);
    bench.at(100, [&](Cycle now) {
        bench.store(now, 0, 64);
        bench.store(now, 64, 4);
        bench.bench.load(now, bench.bar, 8);
        bench.store(now, 128, 64);
    });
    bench.at(300, [&](Cycle now) {
        gate.credits = 1;
        bench.port.credits_back(now);
    });
    bench.at(400, [&](Cycle now) { bench.port.credits_back(now); });  // there are none
    bench.at(500, [&](Cycle now) {
        CHECK(bench.bench.loads.size() == 1);
        gate.credits = 2;
        bench.port.credits_back(now);
    });
    PostedBench::simulate();
    const std::int64_t first = 105, load = 300 + kWordOnLink, later = load + 12;
    CHECK(gate.asked == GateAsked{{edge_at(first), 64, true},
                                  {edge_at(first + kLineOnLink), 4, false},
                                  {edge_at(300), 4, true},
                                  {edge_at(later), 64, false},
                                  {edge_at(400), 64, false},
                                  {edge_at(500), 64, true}});
    CHECK(bench.device.stores == StoresCame{{edge_at(first + kLineOnLink + 19), 0, 64},
                                            {edge_at(300 + kWordOnLink + 19), 64, 4},
                                            {edge_at(500 + kLineOnLink + 19), 128, 64}});
    CHECK(bench.device.loads == StoresCame{{edge_at(load + 12 + 19), 0, 8}});
    CHECK(gate.credits == 1);
    bench.check_over();
}

TEST_CASE("posted: credits that are told before they are back are used when they are", "[timing]") {
    PostedBench bench(32);
    CountingGate gate;
    bench.port.set_gate(gate);
    bench.at(90, [&](Cycle now) {
        bench.port.credits_back(now);  // nobody waits: forgotten
        bench.port.credits_back(now + Cycle{30});
        bench.port.credits_back(now + Cycle{40});
    });
    bench.at(100, [&](Cycle now) { bench.store(now, 0, 4); });
    bench.at(119, [&](Cycle) { gate.credits = 1; });
    PostedBench::simulate();
    CHECK(gate.asked == GateAsked{{edge_at(105), 4, false}, {edge_at(120), 4, true}});
    CHECK(bench.device.stores == StoresCame{{edge_at(120 + kWordOnLink + 19), 0, 4}});
    bench.check_over();
}

TEST_CASE("posted: credits that come back within a cycle are used at the next edge", "[timing]") {
    PostedBench bench(32);
    CountingGate gate;
    bench.port.set_gate(gate);
    bench.at(100, [&](Cycle now) { bench.store(now, 0, 4); });
    sc_core::sc_start(to_sc_time(edge_at(200) + Time{3'000}));
    gate.credits = 1;
    bench.port.credits_back(Cycle{200});
    PostedBench::simulate();
    CHECK(bench.device.stores == StoresCame{{edge_at(201 + kWordOnLink + 19), 0, 4}});
    bench.check_over();
}

TEST_CASE("posted: places are kept while there are no credits", "[timing]") {
    PostedBench bench(2);
    CountingGate gate;
    bench.port.set_gate(gate);
    Waiting core(bench, 0, 3);
    bench.at(100, [&](Cycle now) { core.go(now); });
    bench.at(300, [&](Cycle now) {
        CHECK(core.stored.size() == 2);
        gate.credits = 3;
        bench.port.credits_back(now);
    });
    PostedBench::simulate();
    CHECK(core.stored == std::vector<Cycle>{{100}, {100}, {300}});
    bench.check_over();
}

TEST_CASE("posted: what the device has sent is acknowledged before a store that waits for the link", "[timing]") {
    PostedBench bench(32);
    bench.at(100, [&](Cycle now) {
        bench.store(now, 0, 64);
        bench.store(now, 64, 64);
    });
    // The second one waits until 149. A write that comes in 120 is acknowledged in between, by 8 bytes.
    bench.at(110, [&](Cycle now) {
        auto [transaction, extension] = bench.bench.pool.take_posted(TlpKind::memory_write, 0x1000, kStored);
        extension.count = {1, 88};
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = to_sc_time(edge_at(120) - kGmiiClock.time(now));
        bench.device.upstream->nb_transport_fw(transaction, phase, delay);
    });
    PostedBench::simulate();
    CHECK(bench.device.stores ==
          StoresCame{{edge_at(105 + kLineOnLink + 19), 0, 64}, {edge_at(149 + 4 + kLineOnLink + 19), 64, 64}});
    bench.check_over();
}

TEST_CASE("posted: a slow clock does not slow the link", "[timing]") {
    PostedBench bench(4, kFastLink);
    CountingGate gate;
    gate.credits = 100;
    bench.port.set_gate(gate);
    Waiting core(bench, 0x800, 6);
    bench.at(100, [&](Cycle now) {
        for (std::uint64_t i = 0; i < 4; ++i) bench.store(now, 64 * i, 64);
        core.go(now);
    });
    PostedBench::simulate();
    GateAsked asked;
    StoresCame came;
    for (std::int64_t i = 0; i < 4; ++i) {
        const Time begins = edge_at(105) + Time{5586} * i;
        asked.push_back({begins, 64, true});
        came.push_back({kGmiiClock.time(kGmiiClock.edge(begins + Time{5586})) + edge_at(10),
                        64 * static_cast<std::uint64_t>(i), 64});
    }
    CHECK(GateAsked(gate.asked.begin(), gate.asked.begin() + 4) == asked);
    CHECK(StoresCame(bench.device.stores.begin(), bench.device.stores.begin() + 4) == came);
    // Places are free at edges: stores begin at 0, 5586, 11172, 16758 ps of cycle 105.
    REQUIRE(core.stored.size() == 6);
    CHECK(std::vector(core.stored.begin(), core.stored.begin() + 4) == std::vector<Cycle>{{105}, {106}, {107}, {108}});
    bench.check_over();
}

TEST_CASE("posted: credits are asked for when the link gets free, not when a place does", "[timing]") {
    // Gen3 x1: a word takes 28438 ps. The second one begins within 108, so its place is free in 109; the third in 112.
    PostedBench bench(3, {3, 1, 256, 512, 64, 32, Cycle{10}, Cycle{10}});
    CountingGate gate;
    gate.credits = 100;
    bench.port.set_gate(gate);
    Waiting core(bench, 0, 6);
    bench.at(100, [&](Cycle now) { core.go(now); });
    PostedBench::simulate();
    CHECK(core.stored == std::vector<Cycle>{{100}, {100}, {100}, {105}, {109}, {113}});
    REQUIRE(gate.asked.size() == 6);
    for (std::int64_t i = 0; i < 6; ++i)
        CHECK(gate.asked[static_cast<std::size_t>(i)].at == edge_at(105) + Time{28'438} * i);
    CHECK(gate.most_ahead < kGmiiClock.period());
    bench.check_over();
}

}  // namespace
}  // namespace rnicsim
