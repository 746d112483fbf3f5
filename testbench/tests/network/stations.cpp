// SPDX-License-Identifier: Apache-2.0
// Plain hosts and their frames, through links and switches: exact times, and nothing lost without a reason.
#include "model/rnic/plain/end_config.h"
#include "model/system.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/star.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"
#include "testbench/workloads/frames/frame_sample.h"
#include "tlm/ethernet/pause_frame.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace rnicsim {
namespace {

std::size_t lost(const RunResult& result) {
    return static_cast<std::size_t>(std::ranges::count_if(result.samples, &Sample::failed));
}

TEST_CASE("a frame takes its length on each link, the delays and the latency: to the picosecond", "[network]") {
    for (const std::int64_t rate : {kGigabit, 10 * kGigabit, 100 * kGigabit}) {
        const RunConfig config = plain_star(1, 9'000, 3, rate);
        const auto outcome = apart([&] {
            const RunResult result = simulate(config);
            const Time length = MacTiming::of_rate(rate).serialisation(9'018);
            const Time took = length * 2 + config.links[0].delay * 2 + config.switches[0].latency;
            const bool all = std::ranges::all_of(
                result.samples, [&](const Sample& f) { return !f.failed() && f.end - sent_at(f) == took; });
            const Time next = length + MacTiming::of_rate(rate).gap();
            const bool follow = sent_at(result.samples.at(1)) - sent_at(result.samples.at(0)) == next;
            if (!all || !follow || result.samples.size() != 3) throw RunError("another time");
            return result;
        });
        CHECK(outcome.ran);
    }
}

TEST_CASE("a station takes a frame as long as its MTU, and none that is longer", "[network]") {
    RunConfig config = plain_star(2, 1'500, 5);
    config.traffic[0].from = {1};
    config.traffic.push_back(config.traffic[0]);
    config.traffic[1].to = {2};
    plain_of(config, 0).mtu = 1'500;
    plain_of(config, 2).mtu = 1'499;
    const RunResult result = simulate(config);
    CHECK(counter(result, "server.rx_frames") == 5);
    CHECK(counter(result, "server.rx_oversize") == 0);
    CHECK(counter(result, "client.rx_oversize") == 5);
}

TEST_CASE("cut-through: a frame is on its way when its header is in", "[network]") {
    RunConfig config = plain_star(1, 1'056, 5);  // 1,074 B: 1,082 cycles with its preamble
    config.switches[0].mode = SwitchMode::cut_through;
    config.traffic[0].think = Cycle{5'000};
    const RunResult result = simulate(config);
    REQUIRE(result.samples.size() == 5);
    // 30 B with the preamble, 5 cycles, 250 of latency, then 1,082 and 5: 1,372; 8 less than that if the header's 22 B
    // were counted without the preamble.
    for (const Sample& f : result.samples) {
        if (sent_at(f) - f.start == Time{}) CHECK(f.end - sent_at(f) == Time{8'000} * (30 + 5 + 250 + 1'082 + 5));
    }
    CHECK(counter(result, "s0.client.cut_through") >= 3);
    CHECK(lost(result) == 0);
}

TEST_CASE("cut-through: a frame that finds its port busy is stored", "[network]") {
    RunConfig config = plain_star(2, 1'056, 1);
    config.switches[0].mode = SwitchMode::cut_through;
    config.traffic[0].stagger = Cycle{100};
    const RunResult result = simulate(config);
    REQUIRE(result.samples.size() == 2);
    const Time first = Time{8'000} * (30 + 5 + 250 + 1'082 + 5);
    CHECK(result.samples[0].end - sent_at(result.samples[0]) == first);
    // Its last bit is in after 1,082 + 5 cycles, 250 later it is ready; the port is free long before.
    CHECK(result.samples[1].end - sent_at(result.samples[1]) == Time{8'000} * (1'087 + 250 + 1'082 + 5));
    CHECK(counter(result, "s0.client.cut_through") == 1);
}

TEST_CASE("PFC: switches that wait for one another in a circle are named", "[network]") {
    constexpr unsigned kRing = 5;
    RunConfig config = plain_star(kRing - 1, 1'500, 500);
    config.watchdog = kMillisecond * 16;
    config.links.resize(kRing);
    SwitchConfig lossless = config.switches[0];
    lossless.mtu = 1'500;
    lossless.buffer = 32 * 1024;
    lossless.priorities = 8;
    lossless.pfc.classes = 1U << 3;
    config.switches.assign(kRing, lossless);
    const TrafficConfig item = config.traffic[0];
    config.traffic.clear();
    for (unsigned i = 0; i < kRing; ++i) {
        config.switches[i].name = "s" + std::to_string(i);
        config.links[i].between[1] = {Node::Kind::network_switch, i};
        LinkConfig& link = config.links.emplace_back(config.links[i]);
        link.name = link.group = "ring" + std::to_string(i);
        link.between = {Node{Node::Kind::network_switch, i}, Node{Node::Kind::network_switch, (i + 1) % kRing}};
        TrafficConfig& two_on = config.traffic.emplace_back(item);
        two_on.name = std::to_string(i);
        two_on.traffic_class = 3;
        two_on.from = {i};
        two_on.to = {(i + 2) % kRing};
    }
    std::string said;
    try {
        simulate(config);
    } catch (const RunError& error) { said = error.what(); }
    CHECK(said.find("PFC deadlock: s0.s1, s1.s2, s2.s3, s3.s4 and s4.s0 wait for one another") != std::string::npos);
}

TEST_CASE("a table that learns: frames to unknown hosts go everywhere, and nobody else takes them", "[network]") {
    for (const bool queues : {false, true}) {
        RunConfig config = plain_star(3, 500, 100);
        config.switches[0].learning = true;
        if (queues) config.switches[0].priorities = 2;
        config.traffic[0].from = {1};
        config.traffic[0].pace = kGigabit / 4;
        TrafficConfig& answer = config.traffic.emplace_back(config.traffic[0]);
        answer.from = {0};
        answer.to = {1};
        answer.transfers = 1;
        answer.start = Cycle{125'000};
        const auto outcome = apart([&] {
            const RunResult result = simulate(config);
            const std::uint64_t copies = counter(result, "s0.client.copies");
            // Until the answer at 1 ms (about 50 frames), two copies of each go to those who did not ask.
            const bool flooded = copies > 80 && copies < 140 && counter(result, "client.rx_other") == copies;
            if (!flooded || lost(result) != 0) throw RunError("another number of copies: " + std::to_string(copies));
            return result;
        });
        CHECK(outcome.ran);
    }
}

TEST_CASE("cut-through: a damaged frame goes on, and is counted where it ends", "[network]") {
    RunConfig config = plain_star(1, 1'056, 200);
    config.switches[0].mode = SwitchMode::cut_through;
    config.traffic[0].pace = kGigabit / 4;
    config.links[1].corruption = 0.2;
    const RunResult result = simulate(config);
    CHECK(counter(result, "s0.client.dropped_bad_fcs") == 0);
    CHECK(counter(result, "server.rx_bad_fcs") > 0);
    CHECK(lost(result) == counter(result, "server.rx_bad_fcs") + counter(result, "server.rx_other") +
                              counter(result, "s0.client.dropped_no_route"));
}

TEST_CASE("twice as much as a port carries: half of it is lost, and what comes is what it carries", "[network]") {
    RunConfig config = plain_star(2, 1'500, 20'000);
    config.traffic[0].pace = kGigabit;
    const RunResult result = simulate(config);
    CHECK(result.samples.size() == 40'000);
    CHECK(static_cast<double>(lost(result)) / 40'000 == Catch::Approx(0.5).epsilon(0.01));
    CHECK(counter(result, "s0.server.refused") == lost(result));
}

TEST_CASE("the same with PFC: nothing is lost, and the senders wait", "[network]") {
    RunConfig config = plain_star(4, 1'500, 5'000);
    config.switches[0].priorities = 8;
    config.switches[0].pfc.classes = 1U << 3;
    config.switches[0].buffer = 256 * 1024;
    config.switches[0].mtu = 1'500;
    config.traffic[0].traffic_class = 3;
    const RunResult result = simulate(config);
    CHECK(lost(result) == 0);
    CHECK(counter(result, "s0.client.pauses_sent") > 0);
    CHECK(counter(result, "s0.client.pauses_sent") == counter(result, "client.rx_pause"));
    Time last;
    for (const Sample& f : result.samples) last = std::max(last, f.end);
    CHECK(last >= Time{8'000} * (20'000 * 1'538 - 12));  // the port is never idle for long
    CHECK(last < Time{8'000} * (20'000 * 1'538 + 10'000));
}

TEST_CASE("a pause that arrives while a frame is sent brings on no other one", "[network]") {
    RunConfig config = plain_star(4, 1'500, 2'000);
    config.switches[0].priorities = 8;
    config.switches[0].pfc.classes = 1U << 3;
    config.switches[0].buffer = 256 * 1024;
    config.switches[0].mtu = 1'500;
    config.traffic[0].traffic_class = 3;
    config.traffic[0].pace = kGigabit / 2;
    // The other class is never paused, and always has a frame that is ready: the pause wakes the
    // station in the middle of one, and nothing else keeps the next from being sent.
    config.traffic.push_back(config.traffic[0]);
    config.traffic[1].traffic_class = 6;
    config.traffic[1].pace = kGigabit;
    const RunResult result = simulate(config);
    CHECK(counter(result, "client.rx_pause") > 0);
    std::map<std::size_t, std::vector<Time>> begins;
    for (const Sample& f : result.samples) begins[f.initiator].push_back(sent_at(f));
    CHECK(begins.size() == 4);
    for (auto& [host, times] : begins) {
        std::ranges::sort(times);
        for (std::size_t i = 1; i < times.size(); ++i) CHECK(times[i] - times[i - 1] >= Time{8'000} * 1'538);
    }
}

TEST_CASE("of the frames that wait at a station the one that was ready first goes first", "[network]") {
    RunConfig config = plain_star(1, 500, 1'000);
    config.traffic[0].pace = kGigabit * 3 / 4;
    config.traffic.push_back(config.traffic[0]);
    config.traffic[1].start = Cycle{100};
    const RunResult result = simulate(config);
    double waits[2] = {0, 0};
    for (const Sample& f : result.samples) waits[f.item] += static_cast<double>((sent_at(f) - f.start).ps);
    CHECK(waits[0] > 0);
    CHECK(waits[1] == Catch::Approx(waits[0]).epsilon(0.05));
}

TEST_CASE("a class that is not paused passes the one that is", "[network]") {
    RunConfig config = plain_star(2, 1'500, 2'000);
    config.switches[0].priorities = 8;
    config.switches[0].pfc.classes = 1U << 3;
    config.switches[0].buffer = 256 * 1024;
    config.switches[0].mtu = 1'500;
    config.traffic[0].traffic_class = 3;
    TrafficConfig& high = config.traffic.emplace_back(config.traffic[0]);
    high.size = 64;
    high.transfers = 300;
    high.think = Cycle{12'500};
    high.traffic_class = 6;
    const RunResult result = simulate(config);
    CHECK(lost(result) == 0);
    Time longest;
    for (const Sample& f : result.samples) {
        if (f.item == 1) longest = std::max(longest, f.end - f.start);
    }
    // At each of two ports it waits for one frame, and for the other client's of its class.
    const Time own = Time{8'000} * (90 + 90 + 10 + 250);
    CHECK(longest >= own);
    CHECK(longest <= own + Time{8'000} * (1'538 * 2 + 102 * 4));
}

TEST_CASE("marks of congestion arrive, and only where a queue is", "[network]") {
    RunConfig config = plain_star(2, 1'500, 3'000);
    config.switches[0].ecn.at = EcnConfig::At::dequeue;
    config.traffic[0].ecn_capable = true;
    config.traffic[0].pace = 500'500'000;  // together a little more than the port carries
    const RunResult result = simulate(config);
    const auto marked = static_cast<std::uint64_t>(std::ranges::count_if(result.samples, &Sample::mark));
    CHECK(marked > 0);
    CHECK(marked < 6'000);
    CHECK(counter(result, "s0.server.marked") >= marked);
}

TEST_CASE("faults of links: what is lost is counted, what comes twice counts once", "[network]") {
    RunConfig config = plain_star(3, 400, 2'000);
    config.traffic[0].pace = kGigabit / 8;
    for (LinkConfig& link : config.links) {
        link.loss = 0.02;
        link.duplication = 0.02;
        link.reordering = 0.02;
        link.corruption = 0.01;
        link.lateness = kMicrosecond * 20;
    }
    const RunResult result = simulate(config);
    CHECK(result.samples.size() == 6'000);
    CHECK(lost(result) > 100);
    CHECK(lost(result) < 600);
}

TEST_CASE("plain hosts beside DRP hosts: each has its own", "[network]") {
    RunConfig config = star(2, 60'000, 5);
    config.names = HostNames::of_network({"server", "client0", "client1", "noise0", "noise1"});
    config.groups = {"server", "client", "client", "noise", "noise"};
    config.hosts.insert(config.hosts.end(), 2, PlainEndConfig{});
    for (unsigned host = 3; host < 5; ++host) {
        LinkConfig& link = config.links.emplace_back(config.links[0]);
        link.name = link.group = config.names[host] + "-s0";
        link.between[0] = {Node::Kind::host, host};
    }
    TrafficConfig& noise = config.traffic.emplace_back();
    noise.name = "noise";
    noise.workload = Workload::frames;
    noise.from = {3};
    noise.to = {4};
    noise.size = 1'000;
    noise.transfers = 500;
    noise.think = Cycle{2'000};
    const auto one = apart([&] { return simulate_in_order(config, BuildOrder::hosts_first); });
    const auto other = apart([&] { return simulate_in_order(config, BuildOrder::links_first); });
    CHECK(one.ran);
    CHECK(one.completed == 510);
    CHECK(one.fingerprint == other.fingerprint);
    const RunResult result = simulate(config);
    const auto of_noise = [&](const Sample& of) { return config.traffic.at(of.item).workload == Workload::frames; };
    CHECK(std::ranges::count_if(result.samples, of_noise) == 500);
    CHECK(lost(result) == 0);
    CHECK(result.samples.size() == 510);
}

}  // namespace
}  // namespace rnicsim
