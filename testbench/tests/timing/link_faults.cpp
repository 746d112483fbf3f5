// SPDX-License-Identifier: Apache-2.0
// Faults of the link, to the cycle.
#include "model/config.h"
#include "model/faults/random_faults.h"
#include "model/faults/tape.h"
#include "model/network/link/link.h"
#include "testbench/records/report_clock.h"
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/drp_naming.h"
#include "testbench/tests/support/frames.h"

#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

constexpr Cycle kDelay{5};
constexpr std::size_t kBytes = frame_bytes(kDrpHeaderBytes + 32);  // of every frame here: 32 bytes of payload
constexpr Cycle kLength = serialisation(kBytes);

DrpHeader data(std::uint32_t sn) {
    return {DrpType::data, Operation::write, false, false, 0, Tid{7}, 32, sn, 0, 0x1000, 0x2000};
}

FrameName name_of(std::uint32_t sn) {
    FrameName name;
    name.initiator = 1;  // by the address of kOther
    name.transfer = 7;
    name.kind = FrameKind::data;
    name.sn = sn;
    return name;
}

struct Arrived {
    std::uint32_t sn = 0;
    std::int64_t due = 0;
    bool good = true;
    friend bool operator==(const Arrived&, const Arrived&) = default;
};

class FarEnd : public sc_core::sc_module, public FrameTransport {
  public:
    explicit FarEnd(sc_core::sc_module_name name) : sc_module(name) { in.bind(*this); }
    void put(FrameRef frame, Time end) override {
        DrpHeader header;
        decode(frame->client_data(), header);
        arrived.push_back({header.sn, reported(end).n, frame->fcs_good()});
        handed_over.push_back(current_cycle().n);
    }
    FrameIn in{"in"};
    std::vector<Arrived> arrived;
    std::vector<std::int64_t> handed_over;  // when
};

/// Copies may be as late as the tape says.
LinkConfig wire() {
    LinkConfig link;
    link.delay = cycles(kDelay.n);
    link.lateness = cycles(100'000);
    return link;
}

/// One direction of a link with the faults of a tape.
struct Wire {
    explicit Wire(const FaultTape& tape)
        : faults(tape), lane("lane", 0, wire(), {faults, pool, drp_naming()}), far("far") {
        lane.out.bind(far.in);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    /// Begins to send frame `sn` at this cycle. Returns when it would arrive.
    std::int64_t send(std::int64_t at, std::uint32_t sn) {
        run_to(at);
        FrameRef frame = drp_frame(pool, data(sn));
        frame->seal();
        lane.put(std::move(frame), cycles(at + kLength.n));
        return at + (kLength + kDelay).n;
    }
    void run_to(std::int64_t at) {
        if (at > current_cycle().n) sc_core::sc_start(to_sc_time(cycles(at) - current_time()));
    }
    FramePool pool;
    TapeFaults faults;
    Link::Lane lane;
    FarEnd far;
};

TEST_CASE("a damaged frame arrives in its time with a wrong FCS; the sender's stays as it is", "[timing]") {
    Wire wire({TapedFrame{name_of(1), FrameFault::corrupted, 500}});  // in the payload
    FrameRef sent = drp_frame(wire.pool, data(1));
    sent->seal();
    wire.lane.put(sent, cycles(kLength.n));
    CHECK(sent->fcs_good());
    const std::int64_t second = wire.send(200, 2);
    CHECK(wire.far.arrived == std::vector<Arrived>{{1, (kLength + kDelay).n, false}, {2, second, true}});
    CHECK(wire.lane.counters().damaged == 1);
}

TEST_CASE("any bit may be the damaged one, the FCS's own as well", "[timing]") {
    FaultTape tape;
    const auto bits = static_cast<std::uint32_t>(kBytes) * 8;
    for (std::uint32_t bit = 0; bit < bits; ++bit)
        tape.emplace_back(TapedFrame{name_of(bit), FrameFault::corrupted, bit});
    Wire wire(tape);
    for (std::uint32_t bit = 0; bit < bits; ++bit) {
        FrameRef frame = drp_frame(wire.pool, data(bit));
        frame->seal();
        wire.lane.put(std::move(frame), cycles(200) * (bit + 1));
    }
    CHECK(wire.far.arrived.size() == bits);
    for (const Arrived& arrived : wire.far.arrived) CHECK(!arrived.good);
}

TEST_CASE("a copy follows right behind the frame, and pushes the next one back", "[timing]") {
    Wire wire({TapedFrame{name_of(1), FrameFault::duplicated, 0}});
    const std::int64_t first = wire.send(0, 1);
    const std::int64_t next = wire.send((kLength + Cycle{12}).n, 2);  // as soon as it may
    const std::int64_t slot = (kLength + Cycle{12}).n;
    CHECK(next == first + slot);
    wire.run_to(10'000);
    CHECK(wire.far.arrived == std::vector<Arrived>{{1, first}, {1, first + slot}, {2, first + 2 * slot}});
    CHECK(wire.lane.counters().copied == 1);
}

TEST_CASE("a late copy comes when it is due, others before it", "[timing]") {
    Wire wire({TapedFrame{name_of(1), FrameFault::duplicated, cycles(1000).ps}});
    const std::int64_t first = wire.send(0, 1);
    const std::int64_t second = wire.send(300, 2);
    CHECK_FALSE(wire.lane.idle());
    wire.run_to(10'000);
    CHECK(wire.lane.idle());
    const std::int64_t copy = first + (kLength + Cycle{12}).n + 1000;
    CHECK(wire.far.arrived == std::vector<Arrived>{{1, first}, {2, second}, {1, copy}});
}

TEST_CASE("a delayed frame keeps those behind it waiting, one right behind the other", "[timing]") {
    Wire wire({TapedFrame{name_of(1), FrameFault::delayed, cycles(500).ps}});
    const std::int64_t first = wire.send(0, 1) + 500;
    wire.send(200, 2);
    wire.send(400, 3);
    const std::int64_t last = wire.send(2000, 4);
    const std::int64_t slot = (kLength + Cycle{12}).n;
    CHECK(wire.far.arrived == std::vector<Arrived>{{1, first}, {2, first + slot}, {3, first + 2 * slot}, {4, last}});
    CHECK(wire.lane.counters().delayed == 1);
}

TEST_CASE("delays do not add up: each frame has its own delay, or waits for those before it", "[timing]") {
    Wire wire({TapedFrame{name_of(1), FrameFault::delayed, cycles(500).ps},
               TapedFrame{name_of(2), FrameFault::delayed, cycles(500).ps},
               TapedFrame{name_of(3), FrameFault::delayed, cycles(1).ps},
               TapedFrame{name_of(4), FrameFault::delayed, cycles(500).ps}});
    const std::int64_t first = wire.send(0, 1) + 500;
    const std::int64_t second = wire.send(200, 2) + 500;
    wire.send(400, 3);
    const std::int64_t fourth = wire.send(600, 4) + 500;
    const std::int64_t third = second + (kLength + Cycle{12}).n;  // behind it, not a cycle later
    CHECK(wire.far.arrived == std::vector<Arrived>{{1, first}, {2, second}, {3, third}, {4, fourth}});
}

TEST_CASE("however many frames are delayed, none is more than `jitter` late, and they stay in order", "[timing]") {
    RunConfig config;
    config.links[0].delay_variation = 1;
    config.links[0].jitter = cycles(12'500);  // some hundred frames
    FramePool pool;
    RandomFaults faults(fault_config(config));
    config.links[0].delay = cycles(kDelay.n);
    Link::Lane lane("lane", 0, config.links[0], {faults, pool, drp_naming()});
    FarEnd far("far");
    lane.out.bind(far.in);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    constexpr std::uint32_t kFrames = 3000;
    const Cycle pace = kLength + Cycle{12};  // one right behind the other
    for (std::uint32_t sn = 0; sn < kFrames; ++sn) {
        FrameRef frame = drp_frame(pool, data(sn));
        frame->seal();
        lane.put(std::move(frame), kReportClock.time(pace * sn + kLength));
    }
    REQUIRE(far.arrived.size() == kFrames);
    std::int64_t latest = 0;
    for (std::uint32_t sn = 0; sn < kFrames; ++sn) {
        CHECK(far.arrived[sn].sn == sn);
        latest = std::max(latest, far.arrived[sn].due - (pace * sn + kLength + kDelay).n);
    }
    CHECK(latest <= kReportClock.cycle(config.links[0].jitter).n);
    CHECK(latest > kReportClock.cycle(config.links[0].jitter).n * 9 / 10);
}

TEST_CASE("copies on a full wire make no frame later than `lateness` and a copy of it", "[timing]") {
    RunConfig config;
    config.links[0].duplication = 1;
    config.links[0].lateness = cycles(1000);
    FramePool pool;
    RandomFaults faults(fault_config(config));
    config.links[0].delay = cycles(kDelay.n);
    Link::Lane lane("lane", 0, config.links[0], {faults, pool, drp_naming()});
    FarEnd far("far");
    lane.out.bind(far.in);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    constexpr std::uint32_t kFrames = 3000;
    const Cycle pace = kLength + Cycle{12};  // one right behind the other
    for (std::uint32_t sn = 0; sn < kFrames; ++sn) {
        FrameRef frame = drp_frame(pool, data(sn));
        frame->seal();
        lane.put(std::move(frame), kReportClock.time(pace * sn + kLength));
        sc_core::sc_start(to_sc_time(kReportClock.time(pace)));
    }
    sc_core::sc_start(to_sc_time(cycles(100'000)));
    CHECK(lane.idle());
    std::vector<bool> seen(kFrames);
    std::int64_t most = 0;
    for (const Arrived& arrived : far.arrived) {
        if (!seen.at(arrived.sn)) most = std::max(most, arrived.due - (pace * arrived.sn + kLength + kDelay).n);
        seen.at(arrived.sn) = true;
    }
    CHECK(std::ranges::count(seen, true) == kFrames);
    CHECK(most > 0);
    // Without a bound it was more with each copy, 3,000 frames in the end.
    CHECK(cycles(most) <= config.links[0].lateness * 2 + kReportClock.time(pace * 2));
    CHECK(lane.counters().copied > 0);
    CHECK(lane.counters().copied < kFrames / 10);
    CHECK(far.arrived.size() == kFrames + lane.counters().copied);
}

TEST_CASE("a frame that is overtaken arrives so much later, between those sent meanwhile", "[timing]") {
    Wire wire({TapedFrame{name_of(1), FrameFault::overtaken, cycles(500).ps}});
    const std::int64_t first = wire.send(0, 1) + 500;
    const std::int64_t second = wire.send(200, 2);
    const std::int64_t third = wire.send(360, 3);
    REQUIRE(third < first - kLength.n - 12);  // it fits in
    const std::int64_t fourth = wire.send(900, 4);
    wire.run_to(10'000);
    CHECK(wire.far.arrived == std::vector<Arrived>{{2, second}, {3, third}, {1, first}, {4, fourth}});
    CHECK(wire.lane.counters().overtaken == 1);
}

TEST_CASE("a frame that is overtaken on an empty wire is handed over before its first byte, and not much sooner",
          "[timing]") {
    Wire wire({TapedFrame{name_of(1), FrameFault::overtaken, cycles(500).ps}});
    const std::int64_t due = wire.send(0, 1) + 500;
    const std::int64_t begins = due - kLength.n;
    const std::int64_t leaves = begins - kDelay.n - serialisation(kMinFrameBytes).n + 1;
    wire.run_to(leaves - 1);
    CHECK(wire.far.arrived.empty());
    wire.run_to(10'000);
    CHECK(wire.far.arrived == std::vector<Arrived>{{1, due}});
    CHECK(wire.far.handed_over == std::vector<std::int64_t>{leaves});
}

TEST_CASE("a frame sent in the cycle in which a held frame leaves comes after it", "[timing]") {
    // In this cycle the test hands its frame over before the kernel wakes the link.
    Wire wire({TapedFrame{name_of(1), FrameFault::overtaken, cycles(500).ps}});
    const std::int64_t due = wire.send(0, 1) + 500;
    const std::int64_t leaves = due - kLength.n - kDelay.n - serialisation(kMinFrameBytes).n + 1;
    wire.run_to(leaves - 1);
    sc_core::sc_start(to_sc_time(cycles(1)) - sc_core::sc_get_time_resolution());
    wire.run_to(leaves);
    wire.send(leaves, 2);
    wire.run_to(10'000);
    REQUIRE(wire.far.arrived.size() == 2);
    CHECK(wire.far.arrived[0] == Arrived{1, due});
    CHECK(wire.far.arrived[1] == Arrived{2, due + (kLength + Cycle{12}).n});
}

TEST_CASE("frames that are sent while the link is down are lost", "[timing]") {
    Wire wire({LinkDown{cycles(1000 + kLength.n), cycles(2000 + kLength.n)}});
    const std::int64_t before = wire.send(999, 1);
    wire.send(1000, 2);
    wire.send(1999, 3);
    const std::int64_t after = wire.send(2000, 4);
    CHECK(after == 2000 + (kLength + kDelay).n);
    // The lost frames delay neither the frame before them nor the frame after them.
    CHECK(wire.far.arrived == std::vector<Arrived>{{1, before}, {4, after}});
    CHECK(wire.lane.counters().lost == 2);
}

TEST_CASE("times when the link is down may overlap, and their recording plays the same", "[timing]") {
    TapeFaults played({LinkDown{cycles(0), cycles(2000)}, LinkDown{cycles(0), cycles(1000)},
                       TapedFrame{{}, FrameFault::delayed, cycles(5).ps}});
    FaultRecorder recorder(played);
    CHECK(recorder.frame({}, cycles(500), false).lost);
    CHECK(recorder.frame({}, cycles(1500), false).lost);
    CHECK(played.unused() == 1);  // a frame that the link lost was not late
    TapeFaults again(recorder.tape());
    CHECK(again.frame({}, cycles(1500), false).lost);
    CHECK(!again.frame({}, cycles(2000), false).lost);
}

TEST_CASE("under every fault a wire carries one frame at a time, and hands it over ahead of time", "[timing]") {
    RunConfig config;
    config.links[0].loss = 0.1;
    config.links[0].corruption = 0.1;
    config.links[0].duplication = 0.3;
    config.links[0].reordering = 0.3;
    config.links[0].lateness = cycles(700);
    config.links[0].delay_variation = 0.2;
    config.links[0].jitter = cycles(400);
    FramePool pool;
    RandomFaults faults(fault_config(config));
    config.links[0].delay = cycles(kDelay.n);
    Link::Lane lane("lane", 0, config.links[0], {faults, pool, drp_naming()});
    FarEnd far("far");
    lane.out.bind(far.in);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::int64_t at = 0;
    for (std::uint32_t sn = 0; sn < 3000; ++sn) {
        FrameRef frame = drp_frame(pool, data(sn));
        frame->seal();
        lane.put(std::move(frame), cycles(at + kLength.n));
        at += (kLength + Cycle{12}).n + static_cast<std::int64_t>(sn * 2'654'435'761U % 200U);
        sc_core::sc_start(to_sc_time(cycles(at) - current_time()));
    }
    sc_core::sc_start(to_sc_time(cycles(100'000)));
    CHECK(lane.idle());
    const Link::Lane::Counters& n = lane.counters();
    CHECK(n.carried + n.lost == 3000 + n.copied);
    CHECK(n.carried == far.arrived.size());
    for (std::uint64_t count : {n.lost, n.damaged, n.copied, n.delayed, n.overtaken}) CHECK(count > 100);
    bool disorder = false;
    for (std::size_t i = 0; i < far.arrived.size(); ++i) {
        CHECK(far.arrived[i].due - kLength.n > far.handed_over[i]);
        if (i == 0) continue;
        CHECK(far.arrived[i].due - far.arrived[i - 1].due >= (kLength + Cycle{12}).n);
        disorder = disorder || far.arrived[i].sn < far.arrived[i - 1].sn;
    }
    CHECK(disorder);
}

/// How many of `frames` frames of one direction meet each fault.
std::map<std::string, int> shares(const LinkConfig& link, int frames) {
    RunConfig config;
    config.links[0] = link;
    RandomFaults faults(fault_config(config));
    std::map<std::string, int> n;
    for (int i = 0; i < frames; ++i) {
        const FrameFate fate = faults.frame(name_of(static_cast<std::uint32_t>(i)), cycles(1000) * i, true);
        n["lost"] += fate.lost ? 1 : 0;
        n["damaged"] += fate.damaged ? 1 : 0;
        n["copied"] += fate.copy ? 1 : 0;
        n["delayed"] += fate.delayed != Time{} ? 1 : 0;
        n["overtaken"] += fate.overtaken != Time{} ? 1 : 0;
        if (fate.copy) CHECK((*fate.copy >= cycles(1) && *fate.copy <= link.lateness));
        CHECK((fate.overtaken >= Time{} && fate.overtaken <= link.lateness));
        CHECK((fate.delayed >= Time{} && fate.delayed <= link.jitter));
    }
    return n;
}

TEST_CASE("each fault comes as often as its probability says, and none without one", "[timing]") {
    constexpr int kFrames = 20'000;
    LinkConfig link;
    link.lateness = cycles(3);
    link.jitter = cycles(2);
    for (const auto& [what, n] : shares(link, 1000)) CHECK(n == 0);
    // Binomial, p = 0.2, four standard deviations: 4 x sqrt(20,000 x 0.16) = 226.
    const auto fifth = Catch::Approx(kFrames / 5).margin(226);
    const auto only = [&](double LinkConfig::*probability, const std::string& which) {
        LinkConfig one = link;
        one.*probability = 0.2;
        for (const auto& [what, n] : shares(one, kFrames)) {
            if (what == which) {
                CHECK(n == fifth);
            } else {
                CHECK(n == 0);
            }
        }
    };
    only(&LinkConfig::loss, "lost");
    only(&LinkConfig::corruption, "damaged");
    only(&LinkConfig::duplication, "copied");
    only(&LinkConfig::reordering, "overtaken");
    only(&LinkConfig::delay_variation, "delayed");
}

TEST_CASE("bursts: the share of losses and their length are those of the Gilbert-Elliott process", "[timing]") {
    RunConfig config;
    config.links[0].loss_process = "gilbert_elliott";
    config.links[0].burst = {0.01, 0.1, 1.0};
    RandomFaults faults(fault_config(config));
    REQUIRE(faults.concerns_frames(0));
    constexpr std::uint32_t kFrames = 400'000;
    int lost = 0;
    int bursts = 0;
    bool before = false;
    for (std::uint32_t i = 0; i < kFrames; ++i) {
        const bool now = faults.frame(name_of(i), cycles(i), true).lost;
        lost += now ? 1 : 0;
        bursts += now && !before ? 1 : 0;
        before = now;
    }
    // In the bad state 0.01 / (0.01 + 0.1) of the time, for 1 / 0.1 frames on average; 3,636 bursts, each a geometric
    // length with a standard deviation of about its mean: 4 / sqrt(3,636) = 6.6 %, and for the share about as much.
    CHECK(static_cast<double>(lost) / kFrames == Catch::Approx(0.01 / 0.11).epsilon(0.1));
    CHECK(static_cast<double>(lost) / bursts == Catch::Approx(10).epsilon(0.07));
}

TEST_CASE("bursts: in the good state the plain loss counts, in the bad one the burst's", "[timing]") {
    RunConfig config;
    config.links[0].loss_process = "gilbert_elliott";
    config.links[0].loss = 0.2;
    config.links[0].burst = {0.0, 1.0, 1.0};  // never bad
    LinkConfig bad = config.links[0];
    bad.burst = {1.0, 0.0, 0.0};  // bad from the first frame on, and loses nothing there
    CHECK(shares(config.links[0], 20'000).at("lost") == Catch::Approx(4000).margin(226));
    CHECK(shares(bad, 20'000).at("lost") == 0);
}

TEST_CASE("the link is down for the share of time that its probability gives, once in a period and wholly inside",
          "[timing]") {
    RunConfig config;
    config.links[0].down = {0.5, cycles(1000), cycles(300)};
    RandomFaults faults(fault_config(config));
    int down = 0;
    int periods = 0;
    for (std::int64_t period = 0; period < 4000; ++period) {
        int in_this = 0;
        int begins = 0;
        bool before = false;
        for (std::int64_t at = 0; at < 1000; at += 10) {
            const bool now = faults.frame(name_of(0), cycles(period * 1000 + at), true).lost;
            in_this += now ? 1 : 0;
            begins += now && !before ? 1 : 0;
            before = now;
        }
        CHECK((in_this == 0 || in_this == 30));
        CHECK(begins <= 1);
        down += in_this;
        periods += begins;
    }
    CHECK(periods == Catch::Approx(2000).margin(4 * 31.6));  // binomial, four standard deviations
    CHECK(down == 30 * periods);
}

TEST_CASE("how late a frame is drawn to be: up to lateness if it is overtaken or a copy, up to jitter if delayed",
          "[timing]") {
    RunConfig config;
    config.links[0].lateness = cycles(1000);
    config.links[0].jitter = cycles(100);
    config.links[0].reordering = 0.5;
    config.links[0].duplication = 1;
    config.links[0].delay_variation = 1;
    RandomFaults faults(fault_config(config));
    struct Range {
        Time least = kEndOfTime;
        Time most;
        void add(Time drawn) {
            least = std::min(least, drawn);
            most = std::max(most, drawn);
        }
        bool operator==(const Range&) const = default;
    };
    Range overtaken;
    Range delayed;
    Range copies;
    for (std::uint32_t sn = 0; sn < 20'000; ++sn) {
        const FrameFate fate = faults.frame(name_of(sn), {}, true);
        CHECK((fate.overtaken == Time{}) != (fate.delayed == Time{}));
        if (fate.overtaken != Time{}) overtaken.add(fate.overtaken);
        if (fate.delayed != Time{}) delayed.add(fate.delayed);
        copies.add(fate.copy.value_or(Time{}));
    }
    CHECK((overtaken == Range{cycles(1), cycles(1000)}));
    CHECK((delayed == Range{cycles(1), cycles(100)}));
    CHECK((copies == Range{cycles(1), cycles(1000)}));
}

}  // namespace
}  // namespace rnicsim
