// SPDX-License-Identifier: Apache-2.0
// Filter, link and arbiter: latencies, sorting, draws and share.
#include "model/config.h"
#include "model/faults/random_faults.h"
#include "model/network/link/link.h"
#include "model/rnic/common/tx_arbiter.h"
#include "model/rnic/drp/frame_filter.h"
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/drp_naming.h"
#include "testbench/tests/support/frames.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

DrpHeader data(std::uint16_t tid, std::uint32_t sn, std::uint32_t len = 4) {
    DrpHeader header;
    header.type = DrpType::data;
    header.tid = Tid{tid};
    header.len = len;
    header.sn = sn;
    return header;
}

struct Taken : FilteredFrames {
    void put_drp(FrameRef, const DrpHeader& header, Cycle due) override {
        drp.push_back(due);
        last = header;
    }
    void put_ordinary(FrameRef, Cycle due) override { ordinary.push_back(due); }
    std::vector<Cycle> drp;
    std::vector<Cycle> ordinary;
    DrpHeader last;
};

TEST_CASE("the filter sorts, counts and takes its latency", "[timing]") {
    FramePool pool;
    Taken taken;
    const PeerTable peers({kOther});
    FrameFilter filter("filter", BlockFactory().filter({{}, {Cycle{3}}, {}, {}, {}, {}}, kOwn), peers, taken);

    filter.put(drp_frame(pool, data(7, 9)), Cycle{100});
    CHECK(taken.drp == std::vector{Cycle{103}});
    CHECK(taken.last == data(7, 9));

    FrameRef ping = pool.take();
    ping->format(kOwn, kOther, 0x0800, 46);
    filter.put(ping, Cycle{200});
    CHECK(taken.ordinary == std::vector{Cycle{203}});
    ping = pool.take();
    ping->format({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, kOther, 0x0806, 46);
    filter.put(ping, Cycle{210});
    CHECK(taken.ordinary.size() == 2);  // broadcast
    ping = pool.take();
    ping->format({0x01, 0x00, 0x5E, 0, 0, 1}, kOther, 0x0800, 46);
    filter.put(ping, Cycle{220});
    CHECK(taken.ordinary.size() == 3);  // multicast

    filter.put(drp_frame(pool, data(7, 9), kOther), Cycle{300});
    CHECK(filter.counters().other_destination == 1);

    const auto damage = [&](std::size_t offset, std::uint8_t value) {
        FrameRef frame = drp_frame(pool, data(7, 9));
        frame->writable_client_data()[offset] = value;
        filter.put(std::move(frame), Cycle{400});
    };
    damage(0, 0x60);  // two types
    damage(0, 0x00);  // none
    damage(1, 0x01);  // extension
    damage(6, 0x10);  // LEN of 4 KiB in a frame of 64
    FrameRef cut = drp_frame(pool, data(7, 9));
    cut->truncate(14 + 31 + 4);
    filter.put(std::move(cut), Cycle{400});
    using enum DrpError;
    const auto count = [&](DrpError error) { return filter.counters().malformed[static_cast<std::size_t>(error)]; };
    CHECK(count(type_bits) == 2);
    CHECK(count(extension) == 1);
    CHECK(count(length) == 1);
    CHECK(count(truncated) == 1);
    CHECK(taken.drp.size() == 1);
    CHECK(filter.counters().drp == 1);
}

struct End : sc_core::sc_module, FrameTransport {
    explicit End(sc_core::sc_module_name name) : sc_module(name) { in.bind(*this); }
    void put(FrameRef frame, Time end) override {
        DrpHeader header;
        decode(frame->client_data(), header);
        arrived.emplace_back(header.sn, end);
    }
    FrameIn in{"in"};
    std::vector<std::pair<std::uint32_t, Time>> arrived;
};

TEST_CASE("a lossy link delays, and loses its share", "[timing]") {
    FramePool pool;
    RunConfig config;
    config.links[0].loss = 0.2;
    RandomFaults faults(fault_config(config));
    config.links[0].delay = cycles(5);
    Link::Lane lane("lane", 0, config.links[0], {faults, pool, drp_naming()});
    End end("end");
    lane.out.bind(end.in);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (std::uint32_t sn = 0; sn < 1000; ++sn) lane.put(drp_frame(pool, data(7, sn)), cycles(100) * (sn + 1));
    for (const auto& [sn, due] : end.arrived) CHECK(due == cycles(100) * (sn + 1) + cycles(5));
    // Binomial: 1000 x 0.8, four standard deviations.
    CHECK(std::abs(static_cast<double>(end.arrived.size()) - 800) < 4 * std::sqrt(1000 * 0.2 * 0.8));
    CHECK(lane.counters().lost + lane.counters().carried == 1000);
}

TEST_CASE("a frame's draws are its own: other transfers' frames change nothing", "[timing]") {
    FramePool pool;
    FrameIdentity alone(0, 0, drp_namers());
    FrameIdentity crowded(0, 0, drp_namers());
    for (std::uint32_t sn = 0; sn < 200; ++sn) {
        const FrameName key = alone.identify(*drp_frame(pool, data(7, sn)));
        crowded.identify(*drp_frame(pool, data(8, sn)));
        const FrameName same = crowded.identify(*drp_frame(pool, data(7, sn)));
        CHECK(key == same);
        // MODE is not part of it: the direct and the indirect frame share their draws.
        DrpHeader indirect = data(7, sn);
        indirect.indirect = true;
        const FrameName again = alone.identify(*drp_frame(pool, indirect));
        FrameName second = key;
        ++second.ordinal;
        CHECK(again == second);
    }
}

TEST_CASE("numbers of transfers go on when TIDs wrap", "[timing]") {
    TidSequence sequence;
    for (std::uint64_t n = 0; n < 200'000; n += 7) {
        CHECK(sequence.number_of(Tid{static_cast<std::uint16_t>(n)}) == n);
        if (n >= 50) CHECK(sequence.number_of(Tid{static_cast<std::uint16_t>(n - 50)}) == n - 50);  // a late one
    }
}

TEST_CASE("the arbiter: control first, then the configured share, nothing before it is due", "[timing]") {
    FramePool pool;
    TxArbiter arbiter(0.25);
    arbiter.put_data(pool.take(), 1, Cycle{10});
    CHECK(arbiter.next_due() == Cycle{10});
    CHECK_FALSE(arbiter.choose(Cycle{9}).has_value());
    arbiter.put_control(pool.take(), Cycle{10});
    CHECK(arbiter.choose(Cycle{10})->kind == TxClass::control);
    CHECK(arbiter.choose(Cycle{10})->kind == TxClass::data);

    std::array<int, 3> chosen{};
    for (int i = 0; i < 1000; ++i) {
        arbiter.put_data(pool.take(), 0, Cycle{20});
        arbiter.put_ordinary(pool.take(), Cycle{20});
    }
    for (int i = 0; i < 1000; ++i) ++chosen[static_cast<std::size_t>(arbiter.choose(Cycle{20})->kind)];
    CHECK(chosen[static_cast<std::size_t>(TxClass::ordinary)] == 250);
    CHECK(chosen[static_cast<std::size_t>(TxClass::data)] == 750);
}

TEST_CASE("the arbiter keeps the remainder of a share: 3 of 8, spread evenly", "[timing]") {
    FramePool pool;
    TxArbiter arbiter(0.375);
    std::string order;
    for (int i = 0; i < 16; ++i) {
        arbiter.put_data(pool.take(), 0, Cycle{20});
        arbiter.put_ordinary(pool.take(), Cycle{20});
    }
    for (int i = 0; i < 16; ++i) order += arbiter.choose(Cycle{20})->kind == TxClass::data ? 'd' : 'o';
    CHECK(order == "ddoddododdoddodo");
}

}  // namespace
}  // namespace rnicsim
