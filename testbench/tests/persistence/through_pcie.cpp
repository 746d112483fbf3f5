// SPDX-License-Identifier: Apache-2.0
// The persistence path behind a real endpoint and root complex, to the cycle: a full IIO stops the link, reads and MSIs
// wait for writes, memory is read and seen when it should.
#include "model/host/memory.h"
#include "model/host/root_complex.h"
#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/drp/dma_purpose.h"
#include "testbench/records/report_clock.h"
#include "testbench/tests/persistence/line_list.h"
#include "testbench/tests/support/cycles.h"
#include "tlm/taps.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

// Gen1 x1: half a cycle a byte. MPS 128, MRRS 512, RCB 64.
constexpr PcieConfig kPcie{1, 1, 128, 512, 64, 32, Cycle{19}, Cycle{10}};
constexpr std::uint64_t kScm = 0x8000;

/// As tests/timing/dma.cpp's; SCM from kScm on.
class PathOfPcie : public sc_core::sc_module,
                   private DmaClient,
                   private RegisterTarget,
                   private InterruptTarget,
                   private Observer,
                   private MemoryWatcher {
  public:
    PathOfPcie(sc_core::sc_module_name name, const PersistenceConfig& config, bool host_first = true)
        : sc_module(name), path(config), tap_("tap", 0, *this) {
        InterruptTarget& processor = *this;
        RegisterTarget& registers = *this;
        const auto build_host = [&] {
            memory = std::make_unique<Memory>("memory", MemoryConfig{Cycle{12}, 1'600'000'000}, kGmiiClock, 1 << 20);
            root = std::make_unique<RootComplex>("root", kPcie, pool, processor, root_wakeup_, horizon_);
        };
        if (host_first) build_host();
        endpoint = std::make_unique<PcieEndpoint>("endpoint", kPcie, std::make_unique<DmaEngineModel>(kPcie), pool,
                                                  registers, endpoint_wakeup_);
        if (!host_first) build_host();
        path.add_scm(kScm, kScm);
        path.set_observer(&lines);
        memory->set_persistence(&path);
        memory->set_watcher(this);
        root->card.expect_buffered();
        endpoint->set_posted_buffer(&path);
        endpoint->upstream.bind(root->card.upstream);
        root->card.downstream.bind(endpoint->downstream);
        root->memory.bind(tap_.in);
        tap_.out.bind(memory->port);
        SC_HAS_PROCESS(PathOfPcie);
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
    void write(Cycle now, std::uint64_t address, std::uint32_t bytes, TlpAttributes attributes = {}) {
        const DmaPiece piece{address, source.data(), bytes, {}};
        left.push_back(endpoint->write(now, {&piece, 1}, dma_purpose::kHost, attributes).left);
    }
    void read(Cycle now, std::uint64_t address, std::uint32_t bytes, TlpAttributes attributes = {}) {
        endpoint->read(now, address, bytes, dma_purpose::kFetch, {*this, target.data(), bytes, {}}, attributes);
    }

    PciePool pool;
    PersistencePath path;
    LineList lines;
    std::unique_ptr<Memory> memory;
    std::unique_ptr<RootComplex> root;
    std::unique_ptr<PcieEndpoint> endpoint;
    std::array<std::uint8_t, 4096> source{}, target{};
    std::vector<Cycle> left;      // last byte of a write on the link
    std::vector<Cycle> accesses;  // TLPs at the memory
    std::vector<Time> visible;
    std::vector<Cycle> reads_done;
    std::vector<Cycle> interrupts;

  private:
    void root_cycle() {
        root->deliver(root_wakeup_.woke());
        root_wakeup_.sleep_until(root->next_due());
    }
    void endpoint_cycle() {
        const Cycle now = endpoint_wakeup_.woke();
        endpoint->deliver(now);
        while (!script_.empty() && script_.front().first <= now) {
            script_.front().second(now);
            script_.erase(script_.begin());
        }
        Cycle next = endpoint->next_due();
        if (!script_.empty()) next = std::min(next, script_.front().first);
        endpoint_wakeup_.sleep_until(next);
    }
    void read_done(Cycle now, std::uint64_t, FrameRef) override { reads_done.push_back(now); }
    void register_write(Cycle, std::uint64_t, std::span<const std::uint8_t>) override {}
    void interrupt(Cycle now, std::uint32_t) override { interrupts.push_back(now); }
    [[nodiscard]] bool rests_until(Cycle) const override { return true; }
    void memory_access(unsigned, const tlm::tlm_generic_payload&) override { accesses.push_back(current_cycle()); }
    void upstream_tlp(unsigned, tlm::tlm_generic_payload&, Time) override {}
    void frame_sent(unsigned, const Frame&, Time) override {}
    void written(std::uint64_t, std::uint64_t, Time at) override { visible.push_back(at); }

    ClockedWakeup root_wakeup_{"root_wakeup", kGmiiClock};
    Horizon horizon_;
    ClockedWakeup endpoint_wakeup_{"endpoint_wakeup", kGmiiClock};
    MemoryTap tap_;
    std::vector<std::pair<Cycle, std::function<void(Cycle)>>> script_;
};

void simulate_all(const PathOfPcie& /*bench*/) { sc_core::sc_start(to_sc_time(cycles(100'000))); }

constexpr Cycle cycle(std::int64_t n) { return {n}; }
constexpr Time at_cycle(std::int64_t n) { return kGmiiClock.time(Cycle{n}); }

/// Lines of SCM stay in the IIO for 1000 cycles, and need 5 more to leave it.
PersistenceConfig slow(std::int64_t lines_of_iio) {
    PersistenceConfig config = plain_config();
    config.iio.capacity = 64 * lines_of_iio;
    config.iio.hold = at_cycle(1000);
    return config;
}

TEST_CASE("PCIe: each line comes with the last byte of its TLP", "[persistence]") {
    PathOfPcie bench("bench", plain_config());
    bench.at(100, [&](Cycle now) { bench.write(now, kScm, 192); });
    simulate_all(bench);
    // 10 set-up; TLPs of 128 + 20 and of 64 + 20 bytes; 19.
    CHECK(bench.left == std::vector{cycle(100 + 10 + 74 + 42)});
    CHECK(bench.accesses == std::vector{cycle(245)});
    REQUIRE(bench.lines.writes.size() == 4);
    CHECK(bench.lines.writes[1].posted == at_cycle(203));
    CHECK(bench.lines.writes[2].posted == at_cycle(203));
    CHECK(bench.lines.writes[3].posted == at_cycle(245));
    CHECK(bench.visible == std::vector{at_cycle(245 + 5)});
    CHECK(bench.pool.in_use() == 0);
}

TEST_CASE("PCIe: a full IIO stops the link until a line has left, and no longer", "[persistence]") {
    PathOfPcie bench("bench", slow(2)), roomy("roomy", slow(3));
    for (PathOfPcie* const b : {&bench, &roomy}) {
        b->at(100, [b](Cycle now) {
            b->write(now, kScm, 192);
            b->read(now, 0x1000, 64, {false, false, 1});
        });
    }
    simulate_all(bench);
    // The first two lines come at 203 and the first leaves at 1208; the third has its place at that.
    CHECK(bench.lines.writes[1].iio == at_cycle(1208));
    CHECK(bench.lines.writes[3].posted == at_cycle(1208));
    CHECK(bench.left == std::vector{cycle(1208 - 19)});
    CHECK(bench.accesses == std::vector{cycle(1208), cycle(1208 + 10)});  // the MRd of 10 cycles follows on
    CHECK(roomy.lines.writes[3].posted == at_cycle(245));
    CHECK(roomy.left == std::vector{cycle(226)});
    // The engine has the MRd ready by 230: its first TLP of two begins when the write's set-up and two TLPs are over.
    CHECK(roomy.accesses == std::vector{cycle(245), cycle(255)});
}

TEST_CASE("PCIe: a read waits for the writes before it, and takes SCM's time", "[persistence]") {
    PathOfPcie bench("bench", slow(8)), other("other", slow(8)), dram("dram", slow(8));
    const auto script = [](PathOfPcie& b, std::uint64_t from, TlpAttributes attributes) {
        b.at(100, [&b, from, attributes](Cycle now) {
            b.write(now, kScm, 64);
            b.read(now, from, 4, attributes);
            b.write(now, kScm + 64, 64);
        });
    };
    script(bench, kScm + 60, {false, true, 0});
    script(other, kScm + 60, {false, false, 1});
    script(dram, 0x1000, {});
    simulate_all(bench);
    // The write comes at 171 and leaves at 1176; the MRd comes at 181. A read of 4 bytes: 305 ns and 0.625 ns = 39
    // cycles, the completion's 24 bytes 12 cycles more, 19.
    CHECK(bench.reads_done == std::vector{cycle(1176 + 51 + 19)});
    CHECK(other.reads_done == std::vector{cycle(181 + 51 + 19)});
    // 2.5 ns and 12 cycles of DRAM; on the link 12: an edge later.
    CHECK(dram.reads_done == std::vector{cycle(1176 + 13 + 12 + 19)});
}

TEST_CASE("PCIe: a read that waits does not keep other reads waiting", "[persistence]") {
    PathOfPcie bench("bench", slow(8));
    bench.at(100, [&](Cycle now) {
        bench.write(now, kScm, 64);
        bench.read(now, 0x1000, 4);
        bench.read(now, 0x1000, 4, {false, false, 1});
    });
    simulate_all(bench);
    REQUIRE(bench.reads_done.size() == 2);
    CHECK(bench.reads_done[0] < cycle(300));
    CHECK(bench.reads_done[1] > cycle(1176));
}

TEST_CASE("PCIe: an MSI and a CQE come when the data before them has left the IIO", "[persistence]") {
    PathOfPcie bench("bench", slow(8)), relaxed("relaxed", slow(8));
    for (PathOfPcie* const b : {&bench, &relaxed}) {
        b->at(100, [b, &bench](Cycle now) {
            b->write(now, kScm, 64);
            b->write(now, 0x1000, 64, {false, b != &bench, 0});
            b->endpoint->interrupt(now, 0, {false, b != &bench, 0});
        });
    }
    simulate_all(bench);
    // Data at 171, leaves at 1176, then 4 ns each: 64 bytes of DRAM (not through the LLC) take 40 ns.
    CHECK(bench.visible == std::vector{at_cycle(1176), at_cycle(1176) + ns(4 + 40)});
    CHECK(bench.interrupts == std::vector{cycle(1177)});
    CHECK(relaxed.visible == std::vector{at_cycle(1176), at_cycle(171 + 42 + 5 + 5)});
    CHECK(relaxed.interrupts == std::vector{cycle(171 + 42 + 12 + 5)});
}

TEST_CASE("PCIe: what the IIO holds can be seen when it is pushed", "[persistence]") {
    PersistenceConfig config = plain_config();
    config.iio.until_pushed = true;
    PathOfPcie bench("bench", config);
    bench.at(100, [&](Cycle now) { bench.write(now, kScm, 64); });
    bench.at(2000, [&](Cycle now) { bench.read(now, kScm, 4); });
    simulate_all(bench);
    CHECK(bench.accesses[0] == cycle(171));
    CHECK(bench.visible == std::vector{at_cycle(2000 + 10 + 10 + 19 + 5)});
}

TEST_CASE("PCIe: in whatever order the parts are built, times are the same", "[persistence]") {
    PathOfPcie one("one", slow(2), true), other("other", slow(2), false);
    for (PathOfPcie* const b : {&one, &other}) {
        for (std::int64_t i = 0; i < 40; ++i) {
            b->at(100 + 3 * i, [b, i](Cycle now) {
                const auto at = static_cast<std::uint64_t>(i);
                b->write(now, i % 3 == 0 ? 0x1000 : kScm + 64 * at, 100, {false, i % 5 == 0, 0});
                if (i % 4 == 0) b->read(now, kScm + 64 * at, 4);
                if (i % 7 == 0) b->endpoint->interrupt(now);
            });
        }
    }
    simulate_all(one);
    CHECK(one.reads_done.size() == 10);
    CHECK(one.reads_done == other.reads_done);
    CHECK(one.left == other.left);
    CHECK(one.visible == other.visible);
    CHECK(one.interrupts == other.interrupts);
    CHECK(one.lines.told == other.lines.told);
    CHECK(one.pool.in_use() == 0);
}

}  // namespace
}  // namespace rnicsim
