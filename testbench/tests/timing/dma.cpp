// SPDX-License-Identifier: Apache-2.0
// DMA between endpoint, root complex and memory, to the cycle: nothing at t-1, everything at t.
#include "model/host/memory.h"
#include "model/host/pci_bridge.h"
#include "model/host/root_complex.h"
#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/drp/dma_purpose.h"
#include "testbench/records/report_clock.h"
#include "testbench/tests/support/cycles.h"
#include "tlm/taps.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <functional>
#include <vector>

namespace rnicsim {
namespace {

// Gen1 x1: half a cycle a byte. MPS 128, MRRS 512, RCB 64.
PcieConfig config(std::uint32_t tags = 32) { return {1, 1, 128, 512, 64, tags, Cycle{19}, Cycle{10}}; }

/// An endpoint and a root complex with memory, each driven by a process of its own; a script at cycles.
class Bench : public sc_core::sc_module,
              private DmaClient,
              private RegisterTarget,
              private InterruptTarget,
              private Observer {
  public:
    Bench(sc_core::sc_module_name name, const PcieConfig& pcie)
        : sc_module(name),
          memory("memory", {Cycle{12}, 1'600'000'000}, kGmiiClock, 1 << 20),
          root("root", pcie, pool, *this, root_wakeup_, horizon_),
          endpoint("endpoint", pcie, std::make_unique<DmaEngineModel>(pcie), pool, *this, endpoint_wakeup_),
          tap_("tap", 0, *this) {
        endpoint.upstream.bind(root.card.upstream);
        root.card.downstream.bind(endpoint.downstream);
        root.memory.bind(tap_.in);
        tap_.out.bind(memory.port);
        SC_HAS_PROCESS(Bench);
        SC_METHOD(root_cycle);
        root_wakeup_.wakes(sensitive);
        dont_initialize();
        SC_METHOD(endpoint_cycle);
        endpoint_wakeup_.wakes(sensitive);
        dont_initialize();
    }

    void at(std::int64_t cycle, std::function<void(Cycle)> action) {
        script_.push_back({Cycle{cycle}, std::move(action)});
        endpoint_wakeup_.at(Cycle{cycle});
    }
    void write(Cycle now, std::uint64_t address, std::uint32_t bytes, std::size_t pieces = 1) {
        std::vector<DmaPiece> list;
        for (std::size_t i = 0; i < pieces; ++i) list.push_back({address + i * bytes, source.data(), bytes, {}});
        left.push_back(endpoint.write(now, list, dma_purpose::kHost).left);
    }
    void read(Cycle now, std::uint64_t address, std::uint32_t bytes) {
        endpoint.read(now, address, bytes, dma_purpose::kFetch, {*this, target.data(), bytes, {}});
    }

    PciePool pool;
    Memory memory;
    RootComplex root;
    PcieEndpoint endpoint;
    std::array<std::uint8_t, 4096> source{};
    std::array<std::uint8_t, 4096> target{};
    std::vector<Cycle> left;      // last byte of a write on the link
    std::vector<Cycle> accesses;  // memory reads and writes
    std::vector<Cycle> reads_done;
    std::vector<Cycle> interrupts;
    std::vector<Cycle> doorbells;

  private:
    void root_cycle() {
        root.deliver(root_wakeup_.woke());
        root_wakeup_.sleep_until(root.next_due());
    }
    void endpoint_cycle() {
        const Cycle now = endpoint_wakeup_.woke();
        endpoint.deliver(now);
        while (!script_.empty() && script_.front().first <= now) {
            script_.front().second(now);
            script_.erase(script_.begin());
        }
        Cycle next = endpoint.next_due();
        if (!script_.empty()) next = std::min(next, script_.front().first);
        endpoint_wakeup_.sleep_until(next);
    }
    void read_done(Cycle now, std::uint64_t, FrameRef) override { reads_done.push_back(now); }
    void register_write(Cycle, std::uint64_t, std::span<const std::uint8_t>) override {
        doorbells.push_back(current_cycle());
    }
    void interrupt(Cycle now, std::uint32_t) override { interrupts.push_back(now); }
    [[nodiscard]] bool rests_until(Cycle) const override { return true; }
    void memory_access(unsigned, const tlm::tlm_generic_payload&) override { accesses.push_back(current_cycle()); }
    void upstream_tlp(unsigned, tlm::tlm_generic_payload&, Time) override {}
    void frame_sent(unsigned, const Frame&, Time) override {}

    ClockedWakeup root_wakeup_{"root_wakeup", kGmiiClock};
    Horizon horizon_;
    ClockedWakeup endpoint_wakeup_{"endpoint_wakeup", kGmiiClock};
    MemoryTap tap_;
    std::vector<std::pair<Cycle, std::function<void(Cycle)>>> script_;
};

void run(Bench& /*bench*/) { sc_core::sc_start(to_sc_time(cycles(100'000))); }

constexpr Cycle cycle(std::int64_t n) { return {n}; }

TEST_CASE("a DMA write reaches memory after set-up, serialisation and latency", "[timing]") {
    Bench bench("bench", config());
    std::memset(bench.source.data(), 0xA5, 1024);
    bench.at(100, [&](Cycle now) { bench.write(now, 0x1000, 1024); });
    run(bench);
    // 10 set-up; 8 TLPs of 128 + 20 bytes = 1184 bytes = 592 cycles; 19 latency.
    CHECK(bench.left == std::vector{cycle(100 + 10 + 592)});
    CHECK(bench.accesses == std::vector{cycle(100 + 10 + 592 + 19)});
    CHECK(bench.memory.at(0x1000, 1024)[1023] == 0xA5);
    CHECK(bench.pool.in_use() == 0);
}

TEST_CASE("a DMA read comes back after request, memory and completions", "[timing]") {
    Bench bench("bench", config());
    bench.memory.at(0x2000, 1024)[1000] = 0x77;
    bench.at(100, [&](Cycle now) { bench.read(now, 0x2000, 1024); });
    run(bench);
    // 10 set-up; 2 MRd of 20 bytes = 20 cycles; 19. Memory: 1024 / 12.8 = 80 cycles + 12. 8 CplD = 592 cycles; 19.
    CHECK(bench.accesses == std::vector{cycle(100 + 10 + 20 + 19)});
    CHECK(bench.reads_done == std::vector{cycle(100 + 49 + 92 + 592 + 19)});
    CHECK(bench.target[1000] == 0x77);
    CHECK(bench.endpoint.tags_in_use() == 0);
}

TEST_CASE("one request of many pieces pays the set-up once", "[timing]") {
    Bench bench("bench", config());
    bench.at(100, [&](Cycle now) { bench.write(now, 0x1000, 128, 10); });
    bench.at(5000, [&](Cycle now) {
        for (std::uint64_t i = 0; i < 10; ++i) bench.write(now, 0x1000 + 128 * i, 128);
    });
    run(bench);
    REQUIRE(bench.left.size() == 11);
    CHECK(bench.left[0] == cycle(100 + 10 + 10 * 74));
    // Ten requests: the engine prepares the next one while the link is busy with the previous one.
    CHECK(bench.left[10] == cycle(5000 + 10 + 10 * 74));
    CHECK(bench.endpoint.counters().write_requests == 11);
    CHECK(bench.endpoint.counters().write_tlps == 20);
}

TEST_CASE("small requests are limited by the set-up, not by the link", "[timing]") {
    PcieConfig fast = config();
    fast.generation = 3;
    fast.lanes = 16;
    Bench bench("bench", fast);
    bench.at(100, [&](Cycle now) {
        for (std::uint64_t i = 0; i < 10; ++i) bench.write(now, 0x1000 + 64 * i, 64);
    });
    run(bench);
    // Nine times set-up and a TLP, the set-up of the tenth; 84 bytes: 5332 ps, in the next cycle.
    CHECK(bench.left[9] == cycle(100 + 9 * (10 + 1) + 10 + 1));
}

TEST_CASE("without a free tag a read waits until one comes back", "[timing]") {
    Bench bench("bench", config(2));
    bench.at(100, [&](Cycle now) {
        bench.read(now, 0x2000, 1024);  // both tags
        bench.read(now, 0x3000, 512);
    });
    run(bench);
    REQUIRE(bench.reads_done.size() == 2);
    const Cycle first = cycle(100 + 49 + 92 + 592 + 19);
    CHECK(bench.reads_done[0] == first);
    // From there: Ack DLLPs for 8 completions, 8 bytes each, hold the link for 32 cycles; the set-up is shorter. One
    // MRd of 10 cycles; 19; 40 + 12 memory; 4 CplD of 74; 19.
    CHECK(bench.reads_done[1] == first + cycle(32 + 10 + 19 + 52 + 296 + 19));
    CHECK(bench.endpoint.counters().tag_stalls == 1);
}

TEST_CASE("an interrupt follows the data before it", "[timing]") {
    Bench bench("bench", config());
    bench.at(100, [&](Cycle now) {
        bench.write(now, 0x1000, 1024);
        bench.endpoint.interrupt(now);
    });
    run(bench);
    CHECK(bench.interrupts == std::vector{cycle(100 + 10 + 592 + 12 + 19)});  // 24 bytes of MSI
    CHECK(bench.accesses.front() < bench.interrupts.front());
    CHECK(bench.endpoint.counters().interrupts == 1);
}

TEST_CASE("completions are cut at the read completion boundary of the configuration", "[timing]") {
    PcieConfig wide = config();
    wide.read_completion_boundary = 128;
    Bench bench("bench", wide);
    Bench narrow("narrow", config());
    for (Bench* const b : {&bench, &narrow}) {
        b->at(100, [b](Cycle now) { b->read(now, 0x2020, 96); });
    }
    run(bench);
    // 39 to the memory; 7.5 + 12 there; then 96 bytes in one CplD of 58 cycles, or in two of 68; 19, rounded up.
    CHECK(bench.reads_done == std::vector{cycle(139 + 78 + 19)});
    CHECK(narrow.reads_done == std::vector{cycle(139 + 88 + 19)});
}

TEST_CASE("upstream TLPs are acknowledged before a doorbell goes down", "[timing]") {
    Bench bench("bench", config());
    bench.at(100, [&](Cycle now) { bench.write(now, 0x1000, 1024); });
    bench.at(722, [&](Cycle now) { bench.root.write_register(now, 0, std::array<std::uint8_t, 4>{1}); });
    run(bench);
    // The write is there at 721: Ack DLLPs of 8 TLPs hold the way down for 32 cycles.
    CHECK(bench.doorbells == std::vector{cycle(721 + 32 + 12 + 19)});
}

TEST_CASE("a doorbell takes its TLP and the latency", "[timing]") {
    Bench bench("bench", config());
    bench.at(100, [&](Cycle now) { bench.root.write_register(now, 0, std::array<std::uint8_t, 4>{1}); });
    run(bench);
    CHECK(bench.doorbells == std::vector{cycle(100 + 12 + 19)});
}

TEST_CASE("memory: reads and writes share the bandwidth, first come first served", "[timing]") {
    Bench bench("bench", config());
    bench.at(100, [&](Cycle now) { bench.write(now, 0x1000, 4); });
    run(bench);
    tlm::tlm_generic_payload payload;
    std::array<std::uint8_t, 1280> data{};
    payload.set_data_ptr(data.data());
    payload.set_data_length(1280);
    payload.set_address(0);
    sc_core::sc_time first = sc_core::SC_ZERO_TIME;
    sc_core::sc_time second = sc_core::SC_ZERO_TIME;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    bench.root.memory->b_transport(payload, first);
    payload.set_command(tlm::TLM_READ_COMMAND);
    bench.root.memory->b_transport(payload, second);
    CHECK(first == to_sc_time(cycles(100 + 12)));  // 1280 bytes at 12.8 a cycle
    CHECK(second == to_sc_time(cycles(100 + 100 + 12)));
    payload.set_address((1 << 20) - 4);
    bench.root.memory->b_transport(payload, first);
    CHECK(payload.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("memory: a rate that is no whole number of MB/s", "[timing]") {
    Memory memory("memory", {Cycle{0}, 1'999'000}, kGmiiClock, 1 << 20);
    PciePool pool;
    std::vector<std::uint8_t> data(1999);
    struct Starter : sc_core::sc_module {
        explicit Starter(sc_core::sc_module_name name) : sc_module(name) {}
        tlm_utils::simple_initiator_socket<Starter> socket{"socket"};
    } starter("starter");
    starter.socket.bind(memory.port);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    tlm::tlm_generic_payload& transaction = pool.take(TlpKind::memory_write, 0, data.data(), 1999).transaction;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    starter.socket->b_transport(transaction, delay);
    transaction.release();
    CHECK(delay == sc_core::sc_time(1, sc_core::SC_MS));
}

/// A bus of 100 MB/s with 200 ns per request, in front of a memory that takes almost no time.
struct Bus : sc_core::sc_module {
    explicit Bus(sc_core::sc_module_name name) : sc_module(name) {
        bridge.out.bind(memory.port);
        starter.bind(bridge.in);
    }
    /// Nanoseconds from now until a write of 100 bytes is done.
    std::int64_t write(bool follows_on) {
        const auto [transaction, extension] = pool.take(TlpKind::memory_write, 0, data.data(), 100);
        extension.follows_on = follows_on;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        starter->b_transport(transaction, delay);
        transaction.release();
        return static_cast<std::int64_t>(delay.value()) / 1000;
    }
    PciePool pool;
    PciBridge bridge{"bridge", {100'000'000, Cycle{25}}, kGmiiClock};
    Memory memory{"memory", {Cycle{0}, 1'000'000'000'000}, kGmiiClock, 1 << 20};
    tlm_utils::simple_initiator_socket<Bus> starter{"starter"};
    std::vector<std::uint8_t> data = std::vector<std::uint8_t>(4096);
};

TEST_CASE("bridge: a DMA request is arbitrated for once, if its pieces come in time", "[timing]") {
    Bus bus("bus");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    CHECK(bus.write(false) == 200 + 1000);
    CHECK(bus.write(true) == 200 + 2000);
    CHECK(bus.write(false) == 2 * 200 + 3000);
    CHECK(bus.bridge.requests() == 2);
    sc_core::sc_start(to_sc_time(cycles(3400 / 8)));
    CHECK(bus.write(true) == 1000);  // in the very cycle in which the bus comes free
    sc_core::sc_start(to_sc_time(cycles(126)));
    CHECK(bus.write(true) == 200 + 1000);  // a cycle later it has been given away
    CHECK(bus.bridge.requests() == 3);
    sc_core::sc_start(to_sc_time(cycles(1000)));
    const Cycle now = current_cycle();
    CHECK(bus.bridge.message(now) == now + Cycle{30});  // a message of 4 bytes: 200 + 40 ns
    CHECK(bus.bridge.requests() == 4);
}

}  // namespace
}  // namespace rnicsim
