// SPDX-License-Identifier: Apache-2.0
// Many to one through a switch that marks: what DCQCN does to the queue, to the port, and to who gets how much of it.
#include "model/rnic/rc/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace rnicsim {
namespace {

constexpr std::size_t kClients = 4;
constexpr std::uint32_t kBytes = 64 * 1024;

/// Four clients WRITE into one port of 100 Gb/s. A window of 1024 packets: else it keeps the queue short by itself. The
/// paper's 40 Mb/s would need 17 ms for the way back from 12.5 to 25 Gb/s.
RunConfig incast(unsigned transfers) {
    const std::string text =
        "system:\n  rnic: {profile: cx5_100g, rc: {window: 1024, timeout: 12, dcqcn: {additive_increase: 1 Gbps}, "
        "congestion: dcqcn}}\n  hosts: {server: {}, client: {count: 4}}\n  switches: {s0: {latency: 300 ns, mtu: 4200 "
        "B, buffer: 16 "
        "MiB, ecn: {at: dequeue, kmin: 5000 B, kmax: 200000 B, pmax: 1 %}}}\n  link: {rate: 100 Gbps}\n  links: "
        "[{between: [server, s0]}, {between: [client, s0]}]\nrun:\n  traffic: [{from: client, to: server, size: 64 "
        "KiB, transfers: " +
        std::to_string(transfers) + "}]\n";
    return run_config(ScenarioFile(text).load(), 0, 0, 0);
}

/// With all that is for it, which the reader would refuse.
RunConfig without_dcqcn(RunConfig config) {
    for (VerbsEndConfig& end : verbs_ends(config)) end.card.transport.congestion = &rc::congestion_control("none");
    return config;
}

/// Bytes that each client has got through by a time when all still send.
std::array<double, kClients> shares(const RunResult& result, Time until) {
    std::array<double, kClients> bytes{};
    for (const Sample& message : result.samples) {
        if (message.end <= until) bytes.at(message.initiator - 1U) += message.bytes;
    }
    return bytes;
}

/// When the first client has got all through.
Time first_end(const RunResult& result) {
    std::array<Time, kClients> end{};
    for (const Sample& message : result.samples)
        end.at(message.initiator - 1U) = std::max(end.at(message.initiator - 1U), message.end);
    return *std::ranges::min_element(end);
}

double jain(const std::array<double, kClients>& shares) {
    double sum = 0, squares = 0;
    for (const double share : shares) sum += share, squares += share * share;
    return sum * sum / (kClients * squares);
}

TEST_CASE("DCQCN keeps the queue of an incast short, the port busy and the shares even", "[network]") {
    const auto plain = apart([] {
        const RunResult result = simulate(without_dcqcn(incast(100)));
        if (counter(result, "s0.server.queue_high_water") < 2'000'000) throw RunError("a short queue without DCQCN");
        if (counter(result, "s0.server.marked") != 0) throw RunError("marks without DCQCN");
        for (const auto& [name, value] : result.counters)
            if (name.ends_with("cnps_sent")) throw RunError("a counter without DCQCN");
        return result;
    });
    CHECK(plain.ran);

    const RunResult result = simulate(incast(800));
    const Time end = first_end(result);
    const auto share = shares(result, end);
    double bytes = 0;
    for (const double each : share) bytes += each;
    const double gigabits = 8 * bytes / (static_cast<double>(end.ps) / 1'000);
    INFO("high water " << counter(result, "s0.server.queue_high_water") << " B, " << gigabits << " Gb/s, Jain "
                       << jain(share) << ", CNPs " << counter(result, "server.rc.cnps_sent"));
    CHECK(counter(result, "s0.server.queue_high_water") < 2'000'000);
    CHECK(gigabits > 80);
    CHECK(jain(share) > 0.95);
    CHECK(counter(result, "server.rc.marked_packets") == counter(result, "s0.server.marked"));
    CHECK(counter(result, "server.rc.cnps_sent") == counter(result, "client.rc.cnps_received"));
    CHECK(counter(result, "client.rc.cnps_sent") == 0);
    CHECK(counter(result, "client.rc.retransmissions") == 0);
}

/// `traffic`: between a server and four clients; `keys`: of the switch, `link`: of all links.
RunConfig marked_star(const std::string& traffic, const std::string& keys, const std::string& link = "") {
    const std::string text =
        "system:\n  rnic: {profile: cx5_100g, rc: {congestion: dcqcn, timeout: 10}}\n  hosts: {server: {}, client: "
        "{count: 4}}\n  switches: {s0: {latency: 300 ns, mtu: 4200 B, buffer: 4 MiB, ecn: {at: dequeue, kmin: 5000 B, "
        "kmax: 50000 B, pmax: 10 %}" +
        keys + "}}\n  link: {rate: 100 Gbps" + link +
        "}\n  links: [{between: [server, s0]}, {between: [client, s0]}]\nrun:\n  traffic: [{" + traffic +
        ", size: 64 KiB, transfers: 50}]\n";
    return run_config(ScenarioFile(text).load(), 0, 0, 0);
}

bool all_arrived(const RunResult& result) { return std::ranges::none_of(result.samples, &Sample::failed); }

TEST_CASE("DCQCN: READ responses that are marked slow their responder down", "[network]") {
    const RunResult result = simulate(marked_star("from: server, to: client, operation: read", ""));
    CHECK(all_arrived(result));
    CHECK(counter(result, "server.rc.marked_packets") > 100);
    CHECK(counter(result, "client.rc.cnps_received") > 4);
    CHECK(counter(result, "server.rc.cnps_received") == 0);
    CHECK(counter(result, "server.rc.timeouts") == 0);
}

TEST_CASE("DCQCN beside pauses: CNPs have a class of their own, and PFC has less to do", "[network]") {
    const RunResult result =
        simulate(marked_star("from: client, to: server", ", priorities: 8, pfc: {classes: [3], xoff: 32 KiB}"));
    CHECK(all_arrived(result));
    CHECK(counter(result, "client.rc.cnps_received") > 4);
    CHECK(counter(result, "client.gmac.pauses_heard") > 0);
    CHECK(counter(result, "client.rc.retransmissions") == 0);
}

TEST_CASE("DCQCN on a lossy link: what is sent again keeps the pace, and CNPs may be lost", "[network]") {
    const RunResult result = simulate(marked_star("from: client, to: server", "", ", loss: 1 %"));
    CHECK(all_arrived(result));
    CHECK(counter(result, "client.rc.retransmissions") > 0);
    CHECK(counter(result, "server.rc.cnps_sent") >= counter(result, "client.rc.cnps_received"));
    CHECK(counter(result, "client.rc.cnps_received") > 0);
}

bool has_counter(const RunResult& result, std::string_view name) {
    return std::ranges::find(result.counters, name, [](const auto& one) { return std::string_view(one.first); }) !=
           result.counters.end();
}

TEST_CASE("DCQCN with a card's parameters: two flows share a port, and neither swings", "[network]") {
    // By each half millisecond behind the first two ms: what both get through, and the slower one's part of it.
    const RunResult result = simulate(run_config(
        ScenarioFile("system:\n  rnic: {profile: cx5_100g, rc: {timeout: 16, congestion: dcqcn, dcqcn: {parameters: "
                     "nic}}}\n  link: {rate: 100 Gbps, delay: 500 ns}\n  hosts: {server: {}, client: {count: 2}}\n  "
                     "switches: {s0: {latency: 300 ns, mtu: 4200 B, buffer: 64 MiB, ecn: {at: dequeue, kmin: 5000 B, "
                     "kmax: 200000 B, pmax: 1 %}}}\n  links: [{between: [server, s0]}, {between: [client, s0]}]\nrun: "
                     "{depth: 64, traffic: [{from: client, to: server, size: 64 KiB, transfers: 400}]}\n")
            .load(),
        0, 0, 0));
    constexpr std::size_t kFrom = 4, kTo = 7;
    std::array<std::array<double, 2>, kTo> bytes{};
    for (const Sample& message : result.samples) {
        const auto slice = static_cast<std::size_t>(message.end.ps / (kMicrosecond * 500).ps);
        if (slice < kTo) bytes.at(slice).at(message.initiator - 1U) += message.bytes;
    }
    CHECK(counter(result, "s0.server.queue_high_water") < 1'000'000);
    for (std::size_t slice = kFrom; slice < kTo; ++slice) {
        const auto [less, more] = std::minmax(bytes.at(slice)[0], bytes.at(slice)[1]);
        INFO("slice " << slice << ": " << less << ", " << more);
        CHECK((less + more) * 8 / 500e-6 > 75e9);
        CHECK(less > more / 5);
    }
}

/// Two hosts, one link, 2,000 WRITEs of 4 KiB.
RunConfig marking(const std::string& card, const std::string& link) {
    return run_config(
        ScenarioFile(
            "system:\n  rnic: {profile: cx5_100g, rc: {" + card + "}}\n  link: {rate: 100 Gbps, " + link +
            "}\n  hosts: {a: {}, b: {}}\n  links: [{between: [a, b]}]\nrun: {traffic: [{from: a, to: b, size: 4 "
            "KiB, transfers: 2000}]}\n")
            .load(),
        0, 0, 0);
}

TEST_CASE("a link marks what may be marked, so often as it is told, and the QP slows down", "[network]") {
    const auto none = apart([] {
        const RunResult result = simulate(without_dcqcn(marking("congestion: dcqcn", "ecn_marking: 100 %")));
        if (has_counter(result, "a-b.a_to_b_marked")) throw RunError("marks on packets that are not ECN-capable");
        return result;
    });
    CHECK(none.ran);
    const auto all = apart([] {
        const RunResult result = simulate(marking("congestion: dcqcn", "ecn_marking: 100 %"));
        if (counter(result, "a-b.a_to_b_marked") != 8'000) throw RunError("not every packet is marked");
        // Of what comes back only CNPs may be marked (ECT(0)); nobody is told of that.
        const std::uint64_t cnps = counter(result, "b.rc.cnps_sent");
        if (cnps == 0 || counter(result, "a-b.b_to_a_marked") != cnps) throw RunError("not CNPs alone are marked");
        if (counter(result, "b.rc.marked_packets") != 8'000) throw RunError("marks are lost");
        if (counter(result, "a.rc.marked_packets") != 0 || counter(result, "a.rc.cnps_sent") != 0)
            throw RunError("a marked CNP is answered");
        return result;
    });
    CHECK(all.ran);
    const RunResult result = simulate(marking("congestion: dcqcn", "ecn_marking: 1 %"));
    const std::uint64_t marks = counter(result, "a-b.a_to_b_marked");
    CHECK(marks > 35);  // of 8,000: 80 +- 5 standard deviations of 9
    CHECK(marks < 125);
    CHECK(counter(result, "b.rc.marked_packets") == marks);
    CHECK(counter(result, "b.rc.cnps_sent") > 1);
    CHECK(counter(result, "a.rc.cnps_received") == counter(result, "b.rc.cnps_sent"));
    constexpr Time kAtLineRate{8'000 * 1'102 * 80};  // without RETHs
    CHECK(result.simulated > kAtLineRate * 2);
}

}  // namespace
}  // namespace rnicsim
