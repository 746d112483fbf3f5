// SPDX-License-Identifier: Apache-2.0
// Frames back to back on the wire: 84 cycles for 64 bytes, 1538 for 1518 bytes (IEEE 802.3; RFC 5180 appendix A).
#include "model/rnic/common/gmac.h"
#include "model/rnic/drp/blocks.h"
#include "testbench/tests/support/cycles.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace rnicsim {
namespace {

struct Wire : sc_core::sc_module, FrameTransport {
    explicit Wire(sc_core::sc_module_name name) : sc_module(name) { in.bind(*this); }
    void put(FrameRef /*frame*/, Time end) override { ends.push_back(end); }
    FrameIn in{"in"};
    std::vector<Time> ends;
};

struct Filter : sc_core::sc_module, ClockedFrameTransport {
    explicit Filter(sc_core::sc_module_name name) : sc_module(name) { in.bind(*this); }
    void put(FrameRef /*frame*/, Cycle due) override { ends.push_back(due); }
    ClockedFrameIn in{"in"};
    std::vector<Cycle> ends;
};

const RnicConfig kConfig{{Cycle{4}, Cycle{2}, Cycle{12}, 1500}, {}, {}, {}, {}, {}};
constexpr MacAddress kA{2, 0, 0, 0, 0, 1};
constexpr MacAddress kB{2, 0, 0, 0, 0, 2};

FrameRef frame_of(FramePool& pool, std::size_t length) {
    FrameRef frame = pool.take();
    frame->format(kB, kA, 0x0800, length - 18);
    return frame;
}

struct Bench {
    Bench() {
        mac.wire_out.bind(wire.in);
        mac.received.bind(host.in);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    FramePool pool;
    Gmac mac{"mac", kConfig.clock, BlockFactory().mac(kConfig)};
    Wire wire{"wire"};
    Filter host{"host"};
};

TEST_CASE("back-to-back frames of every length of RFC 5180", "[timing]") {
    Bench bench;
    auto& [pool, mac, wire, host] = bench;

    struct Row {
        std::size_t length;
        std::int64_t cycles;
    };
    Cycle now{1000};
    for (const Row row : {Row{64, 84}, Row{128, 148}, Row{256, 276}, Row{512, 532}, Row{1024, 1044}, Row{1280, 1300},
                          Row{1518, 1538}}) {
        now += Cycle{10'000};
        const Cycle first = mac.transmit(frame_of(pool, row.length), now);
        CHECK(first ==
              now + Cycle{4 + 8 + static_cast<std::int64_t>(row.length)});  // idle MAC: latency, preamble, frame
        CHECK(mac.ready_at() == now + Cycle{row.cycles});                   // not a cycle before: the gap has to pass
        const Cycle second = mac.transmit(frame_of(pool, row.length), mac.ready_at());
        CHECK(second - first == Cycle{row.cycles});
    }
    CHECK(wire.ends.size() == 14);
}

TEST_CASE("a good frame is handed on after the receive latency, a damaged one never", "[timing]") {
    Bench bench;
    auto& [pool, mac, wire, host] = bench;

    FrameRef good = frame_of(pool, 64);
    good->seal();
    mac.put(good, cycles(500));
    REQUIRE(host.ends == std::vector<Cycle>{Cycle{502}});

    for (std::size_t byte = 0; byte < 64; ++byte) {
        FrameRef bad = frame_of(pool, 64);
        bad->seal();
        bad->writable_bytes()[byte] ^= 0x10;
        mac.put(std::move(bad), cycles(600 + static_cast<std::int64_t>(byte)));
    }
    CHECK(mac.counters().rx_bad_fcs == 64);

    CHECK(host.ends.size() == 1);
}

TEST_CASE("a frame is too short below 64 bytes and too long above the MTU's, whatever its FCS", "[timing]") {
    Bench bench;
    auto& [pool, mac, wire, host] = bench;
    for (const std::size_t length : {63U, 64U, 1518U, 1519U}) {
        FrameRef frame = frame_of(pool, 100);
        frame->truncate(length);
        frame->seal();
        mac.put(std::move(frame), cycles(static_cast<std::int64_t>(length)));
    }
    CHECK(host.ends == std::vector<Cycle>{Cycle{64 + 2}, Cycle{1518 + 2}});
    CHECK(mac.counters().rx_runt == 1);
    CHECK(mac.counters().rx_oversize == 1);
}

}  // namespace
}  // namespace rnicsim
