// SPDX-License-Identifier: Apache-2.0
// Hosts with RoCEv2 RNICs: profiles, clocks, messages; and what is refused with which words.
#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/scenario/scenario.h"
#include "testbench/tests/scenario/scenario_file.h"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace rnicsim {
namespace {

const std::string kVerbs =
    "system:\n"
    "  rnic: {profile: cx5_100g}\n"
    "  hosts:\n"
    "    server: {}\n"
    "    client: {count: 2}\n"
    "  switches: {s0: {latency: 300 ns, mtu: 4200 B, buffer: 16 MiB}}\n"
    "  link: {rate: 100 Gbps}\n"
    "  links: [{between: [server, s0]}, {between: [client, s0]}]\n"
    "run:\n"
    "  traffic: [{from: client, to: server, size: 4 KiB}]\n";

std::string with(const std::string& text, const std::string& by) {
    std::string all = kVerbs;
    const std::size_t at = all.find(text);
    REQUIRE(at != std::string::npos);
    return all.replace(at, text.size(), by);
}

bool refuses(const std::string& text, const std::string& by, const std::string& message) {
    const std::string said = rejection(with(text, by));
    INFO(said);
    return said.find(message) != std::string::npos;
}

TEST_CASE("a profile says what is not written, and a key that is written wins", "[scenario]") {
    const Scenario s = ScenarioFile(with("client: {count: 2}", "client: {count: 2, rnic: {rc: {window: 7}}}")).load();
    const RunConfig& config = s.points.at(0).configs.front();
    CHECK(!has_drp(config));
    REQUIRE(verbs_hosts(config).size() == 3);
    const VerbsEndConfig& server = verbs_of(config, 0);
    CHECK(server.card.clock == Clock(Time{3'200}));
    CHECK(server.host.clock == Clock(Time{400}));
    CHECK(server.card.pcie.latency == Cycle{47});   // 150.4 ns
    CHECK(server.host.pcie.latency == Cycle{376});  // the same
    CHECK(server.host.memory.latency == Cycle{224});
    CHECK(server.host.inline_bytes == 220);
    CHECK(server.card.transport.window == 8'388'608);
    CHECK(verbs_of(config, 1).card.transport.window == 7);
    CHECK(server.card.wire.per_byte == Time{80});
    CHECK(config.traffic.at(0).workload == Workload::verbs);
    CHECK(s.variants.names == std::vector<std::string>{"none"});
}

TEST_CASE("a profile of a host wins over what is written of all hosts", "[scenario]") {
    const std::string text =
        with("rnic: {profile: cx5_100g}", "rnic: {personality: rc, rc: {window: 3, timeout: 5}, clock: 8 ns}");
    std::string own = text;
    const std::size_t at = own.find("server: {}");
    own.replace(at, 10, "server: {rnic: {profile: cx5_100g, rc: {min_rnr_timer: 9}}}");
    own.replace(own.find("size: 4 KiB"), 11, "size: 4 KiB, operation: send");
    const Scenario s = ScenarioFile(own).load();
    const RunConfig& config = s.points.at(0).configs.front();
    CHECK(verbs_of(config, 0).attributes.timeout == 14);
    CHECK(verbs_of(config, 0).card.transport.window == 3);  // no profile says what it is
    CHECK(verbs_of(config, 0).attributes.min_rnr_timer == 9);
    CHECK(verbs_of(config, 1).attributes.timeout == 5);
    CHECK(verbs_of(config, 1).card.transport.window == 3);
    CHECK(ScenarioFile(s.resolved).load().resolved == s.resolved);
}

TEST_CASE("the listing of hosts with RoCEv2 RNICs is a scenario of the same system", "[scenario]") {
    const Scenario s = ScenarioFile(kVerbs).load();
    const Scenario again = ScenarioFile(s.resolved).load();
    CHECK(again.resolved == s.resolved);
    CHECK(verbs_of(again.points.at(0).configs.front(), 2).card.qp_interval ==
          verbs_of(s.points.at(0).configs.front(), 2).card.qp_interval);
}

TEST_CASE("without a profile a RoCEv2 RNIC has the keys' defaults", "[scenario]") {
    const std::string of_gigabit = with("rnic: {profile: cx5_100g}", "rnic: {profile: gigabit_fpga}");
    const std::string of_none = with("rnic: {profile: cx5_100g}", "rnic: {personality: rc}");
    const RunConfig one = ScenarioFile(of_gigabit).load().points.at(0).configs.front();
    const RunConfig other = ScenarioFile(of_none).load().points.at(0).configs.front();
    CHECK(verbs_of(one, 0).card.tx_path == Cycle{8});
    CHECK(verbs_of(one, 0).card.tx_path == verbs_of(other, 0).card.tx_path);
    CHECK(verbs_of(one, 0).host.costs.post == verbs_of(other, 0).host.costs.post);
}

TEST_CASE("congestion control is off; its keys are the paper's, and the line's rate is the link's", "[scenario]") {
    const RunConfig plain = ScenarioFile(kVerbs).load().points.at(0).configs.front();
    CHECK_FALSE(verbs_of(plain, 0).card.transport.congestion->hears_marks());
    const Scenario s = ScenarioFile(with("profile: cx5_100g", "profile: cx5_100g, rc: {congestion: dcqcn}"))
                           .load({{"system.link.ecn_marking", "1 %"}});
    const rc::RcConfig config = verbs_of(s.points.at(0).configs.front(), 0).card.transport;
    CHECK(config.congestion->hears_marks());
    CHECK(config.cnp_interval == kMicrosecond * 50);
    CHECK(config.dcqcn.g == 4);
    CHECK(config.dcqcn.first_alpha == 1024);
    CHECK(config.dcqcn.alpha_update == rc::AlphaUpdate::cnp);
    CHECK(config.dcqcn.reduction_interval == Time{});
    CHECK(config.dcqcn.target_update == rc::TargetUpdate::reduction);
    CHECK_FALSE(config.nak_cnp);
    CHECK(config.dcqcn.alpha_timer == kMicrosecond * 55);
    CHECK(config.dcqcn.rate_timer == kMicrosecond * 55);
    CHECK(config.dcqcn.byte_counter == 10'000'000);
    CHECK(config.dcqcn.fast_recovery == 5);
    CHECK(config.dcqcn.additive_increase == 40'000'000);
    CHECK(config.dcqcn.hyper_increase == 400'000'000);
    CHECK(config.dcqcn.least_rate == 100'000'000);
    CHECK(config.line_rate == 100'000'000'000);
    CHECK(ScenarioFile(s.resolved).load().resolved == s.resolved);
}

TEST_CASE("DCQCN's parameters of a card as it is sold stand where nothing is written, the nearest ones win",
          "[scenario]") {
    const std::string text = with("profile: cx5_100g",
                                  "profile: cx5_100g, rc: {congestion: dcqcn, nak_cnp: true, dcqcn: {parameters: nic, "
                                  "rate_timer: 299 us}}");
    const Scenario s = ScenarioFile(text).load();
    const rc::RcConfig config = verbs_of(s.points.at(0).configs.front(), 0).card.transport;
    CHECK(config.cnp_interval == kMicrosecond * 4);
    CHECK(config.nak_cnp);
    CHECK(config.dcqcn.g == 5);
    CHECK(config.dcqcn.first_alpha == 1023);
    CHECK(config.dcqcn.alpha_update == rc::AlphaUpdate::period);
    CHECK(config.dcqcn.alpha_timer == kMicrosecond);
    CHECK(config.dcqcn.reduction_interval == kMicrosecond * 4);
    CHECK(config.dcqcn.target_update == rc::TargetUpdate::timer);
    CHECK(config.dcqcn.rate_timer == kMicrosecond * 299);
    CHECK(config.dcqcn.byte_counter == 32'767'000);
    CHECK(config.dcqcn.fast_recovery == 1);
    CHECK(config.dcqcn.additive_increase == 5'000'000);
    CHECK(config.dcqcn.hyper_increase == 50'000'000);
    CHECK(config.dcqcn.least_rate == 100'000'000);
    CHECK(config.window == 1U << 23U);  // no bound but that of the numbers
    CHECK(ScenarioFile(s.resolved).load().resolved == s.resolved);

    std::string own = text;
    own.replace(own.find("server: {}"), 10, "server: {rnic: {rc: {dcqcn: {parameters: paper, g: 7}}}}");
    own.replace(own.find("size: 4 KiB"), 11, "size: 4 KiB, operation: send, pattern: ping_pong");  // both send
    const RunConfig two = ScenarioFile(own).load().points.at(0).configs.front();
    CHECK(verbs_of(two, 0).card.transport.dcqcn.g == 7);
    CHECK(verbs_of(two, 0).card.transport.dcqcn.fast_recovery == 5);
    CHECK(verbs_of(two, 0).card.transport.dcqcn.rate_timer == kMicrosecond * 55);  // nearer than 299 us of all
    CHECK(verbs_of(two, 1).card.transport.dcqcn.fast_recovery == 1);
}

TEST_CASE("a refusal for want of room names the most that is accepted", "[scenario]") {
    const auto at = [](const char* key, const std::string& value, const char* other, const char* beside) {
        return rejection(kVerbs, {{key, value}, {other, beside}});
    };
    const std::string size = at("run.traffic.0.size", "16 MiB", "run.depth", "4096");
    CHECK(
        size.starts_with("--set: run.traffic.0.size: found '16 MiB', expected at most 195796 B: 'client0' has at "
                         "most 3 GiB"));
    CHECK(at("run.traffic.0.size", "195796 B", "run.depth", "4096").empty());
    CHECK_FALSE(at("run.traffic.0.size", "195797 B", "run.depth", "4096").empty());
    // No depth will do: another key's most.
    const std::string connections = at("run.connections", "16384", "run.traffic.0.size", "1 MiB");
    const std::size_t number = connections.find("run.connections: found '16384', expected at most ");
    REQUIRE(number != std::string::npos);
    const std::string most = connections.substr(number + 49, connections.find(": 'client0'") - number - 49);
    CAPTURE(connections, most);
    CHECK(at("run.connections", most, "run.traffic.0.size", "1 MiB").empty());
    CHECK_FALSE(at("run.connections", std::to_string(std::stoul(most) + 1), "run.traffic.0.size", "1 MiB").empty());
    // All initiators have room, with fewer connections and a depth of 1.
    const auto of_4000 = [](const std::string& each, const std::string& depth) {
        return rejection(kVerbs, {{"system.hosts.client.count", "4000"},
                                  {"run.traffic.0.connections", each},
                                  {"run.traffic.0.depth", depth}});
    };
    CHECK(
        of_4000("5", "16").starts_with("--set: run.traffic.0.connections: found '5', expected at most 4 with a "
                                       "depth of 1: 'server' has at most 524288 entries in its CQ"));
    CHECK(of_4000("4", "1").empty());
    CHECK_FALSE(of_4000("5", "1").empty());
}

TEST_CASE("a reaction to pauses that the MAC's latencies outlast", "[scenario]") {
    CHECK(refuses("profile: cx5_100g", "profile: cx5_100g, gmac: {pause_reaction: 156 ns}",
                  "system.rnic.gmac.pause_reaction: found '156 ns', expected at least 156.8 ns: gmac.rx_latency, "
                  "gmac.tx_latency and a cycle pass before a pause is obeyed"));
    const std::string least = with("profile: cx5_100g", "profile: cx5_100g, gmac: {pause_reaction: 156.8 ns}");
    const std::vector<Override> pauses{{"system.switches.s0.priorities", "8"},
                                       {"system.switches.s0.pfc.classes", "[3]"}};
    CHECK(rejection(least, pauses) == "");
    CHECK(rejection(least).find("has no effect: no switch pauses the host, expected system.switch.pfc.classes") !=
          std::string::npos);
}

TEST_CASE("shared receives that QPs could keep for good", "[scenario]") {
    // Two clients with a QP each: SENDs of several packets.
    const std::string text =
        with("server: {}", "server: {host: {verbs: {receive_queues: shared, shared_receives: 2}}}");
    const auto sends = [&](const char* size) {
        return rejection(text, {{"run.traffic.0.operation", "send"}, {"run.traffic.0.size", size}});
    };
    CHECK(sends("2 KiB").find("shared_receives: found '2', expected at least 3: each of 'server's 2 QPs that get SENDs "
                              "of several packets may keep one for good") != std::string::npos);
    CHECK(sends("1 KiB") == "");
}

TEST_CASE("a limit of more receives than the shared queue has", "[scenario]") {
    const auto server = [](const char* verbs) {
        std::string text = with("server: {}", std::string("server: {host: {verbs: {") + verbs + "}}}");
        return text.replace(text.find("size: 4 KiB"), 11, "size: 1 KiB, operation: send");
    };
    CHECK(rejection(server("receive_queues: shared, shared_receives: 7, srq_limit: 8"))
              .find("host.verbs.srq_limit: found '8', expected at most shared_receives, 7: the queue is never "
                    "fuller") != std::string::npos);
    const Scenario s = ScenarioFile(server("receive_queues: shared, shared_receives: 7, srq_limit: 7")).load();
    CHECK(verbs_of(s.points.at(0).configs.front(), 0).host.srq_limit == 7);
    CHECK(verbs_of(s.points.at(0).configs.front(), 1).host.srq_limit == 0);
    CHECK(rejection(server("srq_limit: 600"))
              .find("srq_limit: has no effect: each QP has receive WQEs of its own, expected "
                    "system.hosts.server.host.verbs.receive_queues: shared") != std::string::npos);
}

TEST_CASE("a least rate that cannot be", "[scenario]") {
    CHECK(rejection(with("rate: 100 Gbps", "rate: 10 Gbps"),
                    {{"system.rnic.rc.congestion", "dcqcn"}, {"system.rnic.rc.dcqcn.least_rate", "11 Gbps"}})
              .find("system.rnic.rc.dcqcn.least_rate: found '11 Gbps', expected at most the rate of the host's link, "
                    "10 Gbps") != std::string::npos);
    CHECK(refuses("profile: cx5_100g", "profile: cx5_100g, rc: {congestion: dcqcn, timeout: 8}",
                  "system.rnic.rc.dcqcn.least_rate: found '100 Mbps', expected at least 137457.045 kbps, or rc.timeout "
                  "of at least 9: at "
                  "this rate it expires before 16 packets are sent, and an ACK is asked for"));
    // A READ's answer leaves at the pace of its responder.
    CHECK(rejection(
              with("server: {}", "server: {rnic: {rc: {congestion: dcqcn, timeout: 20, dcqcn: {least_rate: 1 Mbps}}}}"),
              {{"system.rnic.rc.timeout", "8"},
               {"system.rnic.rc.congestion", "dcqcn"},
               {"system.rnic.rc.dcqcn.least_rate", "1 Gbps"}})
              .find("system.rnic.rc.timeout: found '8', expected at least 13: an answer from 'server' takes longer") !=
          std::string::npos);
    CHECK(refuses("profile: cx5_100g", "profile: cx5_100g, rc: {congestion: no_such}",
                  "system.rnic.rc.congestion: found 'no_such', expected none"));
}

TEST_CASE("what hosts with RoCEv2 RNICs may not be, each with its place", "[scenario]") {
    CHECK(refuses("client: {count: 2}", "client: {count: 2, rnic: {profile: none}}",
                  "FILE:10:13: run.traffic.0: 'client0' is drp and 'server' is rc, expected hosts of one personality"));
    CHECK(refuses("server: {}", "server: {rnic: {drp: {window: 4}}}",
                  "system.hosts.server.rnic.drp.window: has no effect, 'server' has a RoCEv2 RNIC: expected it of "
                  "hosts with a DRP RNIC"));
    CHECK(refuses("profile: cx5_100g", "profile: cx5_100g, drp: {window: 4}",
                  "system.rnic.drp.window: has no effect: no host here has an RNIC with it"));
    CHECK(refuses("profile: cx5_100g", "profile: cx5_100g, rc: {pmtu: 4096 B}, gmac: {mtu: 4159 B}",
                  "system.rnic.rc.pmtu: found '4 KiB', expected at most 2048 B: the MTU, 4159 B, has 64 B of headers "
                  "as well; or gmac.mtu of at least 4160 B"));
    CHECK(refuses("profile: cx5_100g", "profile: cx5_100g, rc: {tx_buffer: 4217 B}",
                  "system.rnic.rc.tx_buffer: found '4217 B', expected at least the largest frame: 4218 B"));
    CHECK(
        refuses("profile: cx5_100g", "profile: cx5_100g, rc: {tx_path: 100 ns}",
                "system.rnic.rc.tx_path: found '100 ns', expected a whole number of 3.2 ns cycles, such as 99.2 ns or "
                "102.4 ns"));
    CHECK(refuses("profile: cx5_100g", "profile: cx6",
                  "system.rnic.profile: found 'cx6', expected none, gigabit_fpga or cx5_100g"));
    CHECK(refuses("size: 4 KiB", "size: 4 KiB, operation: alternate",
                  "run.traffic.0.operation: found 'alternate', expected an operation of verbs"));
    CHECK(refuses("size: 4 KiB", "size: 4 KiB, operation: fetch_add",
                  "run.traffic.0.size: found '4 KiB', expected 8 B: atomics change eight bytes"));
    CHECK(refuses("size: 4 KiB", "size: 4 KiB, pattern: ping_pong, signal_every: 2",
                  "run.traffic.0.signal_every: found '2', expected 1 beside ping_pong"));
    CHECK(refuses("size: 4 KiB", "size: 4 KiB, depth: 8, signal_every: 9",
                  "run.traffic.0.signal_every: found '9', expected at most the depth, 8"));
    for (const char* const beside : {"pattern: ping_pong", "depth: 8, signal_every: 2"}) {
        CHECK(refuses("size: 4 KiB", std::string("size: 4 KiB, outstanding: 4, ") + beside,
                      "run.traffic.0.outstanding: found '4', expected 0, or a stream with a completion for each"));
    }
    CHECK(refuses("profile: cx5_100g", "profile: cx5_100g, rc: {cache: 6143 B}",
                  "system.rnic.rc.cache: found '6143 B', expected 6 KiB to 1024 MiB"));
    CHECK(rejection(with("size: 4 KiB", "size: 4 KiB, pattern: ping_pong"),
                    {{"system.rnic.rc.retransmission", "selective_repeat"}})
              .find("found 'write', expected write_imm or send beside ping_pong and selective_repeat") !=
          std::string::npos);
    CHECK(refuses("server: {}", "server: {rnic: {rc: {retransmission: selective_repeat}}}",
                  "run.traffic.0: 'server' has selective_repeat and 'client0' has not, expected the same at both"));
    CHECK(rejection(with("rate: 100 Gbps", "rate: 100 Gbps, delay: 50 us"), {{"system.rnic.rc.timeout", "5"}})
              .find("system.rnic.rc.timeout: found '5', expected at least 6: an answer from 'server' takes longer than "
                    "4.096 us x 2^5") != std::string::npos);
    CHECK(refuses("size: 4 KiB", "size: 4 KiB, in_flight: 2",
                  "run.traffic.0.in_flight: has no effect: messages of verbs have"));
    CHECK(refuses("size: 4 KiB", "size: 4 KiB, think: 1 us", "run.traffic.0.think: has no effect"));
    CHECK(refuses("size: 4 KiB", "size: 4 KiB, pace: 1 Gbps", "run.traffic.0.pace: has no effect"));
    CHECK(refuses("size: 4 KiB", "size: 16 MiB, depth: 4096", "'client0' has at most 3 GiB of rings and buffers"));
    CHECK(refuses("size: 4 KiB", "size: 8 B, connections: 4096, depth: 1024",
                  "'client0' has at most 524288 entries in its CQ: it has "));
    CHECK(rejection(with("size: 4 KiB", "size: 1 MiB, operation: send"),
                    {{"system.host.verbs.receive_queues", "shared"}, {"system.host.verbs.shared_receives", "4096"}})
              .find(": it has at least 1 QPs, and 4096 MiB for the longest message in each of its 4096 shared receive "
                    "WQEs") != std::string::npos);
    CHECK(rejection(with("size: 4 KiB", "size: 4 KiB"), {{"simulation.rnic", "rtl"}})
              .find("simulation.rnic: has no effect: no host here has a DRP RNIC") != std::string::npos);
}

TEST_CASE("what UC and UD do not carry, or nobody would end, is refused", "[scenario]") {
    CHECK(refuses("size: 4 KiB", "size: 4 KiB, service: uc, operation: read",
                  "run.traffic.0.operation: found 'read', expected send, send_imm, write or write_imm beside uc"));
    CHECK(refuses("size: 4 KiB", "size: 1 KiB, service: ud",
                  "run.operation: found 'write', expected send or send_imm beside ud"));
    CHECK(refuses("size: 4 KiB", "size: 1025 B, service: ud, operation: send",
                  "run.traffic.0.size: found '1025 B', expected at most the PMTU, 1024 B, beside ud"));
    CHECK(refuses("size: 4 KiB", "size: 4 KiB, service: uc, pattern: ping_pong",
                  "run.traffic.0.pattern: found 'ping_pong', expected stream beside uc"));
    CHECK(refuses("size: 4 KiB", "size: 4 KiB, service: xrc",
                  "run.traffic.0.service: found 'xrc', expected rc, uc or ud"));
    for (const std::string key :
         {"retransmission: selective_repeat", "retransmission: go_back_0", "congestion: dcqcn"}) {
        std::string text = with("size: 4 KiB", "size: 1 KiB, service: ud, operation: send");
        const std::string profile = "profile: cx5_100g";
        text.replace(text.find(profile), profile.size(), profile + ", rc: {" + key + "}");
        INFO(key);
        CHECK(rejection(text).find("has no effect: 'server' has no item of service rc") != std::string::npos);
    }
    const std::string pair =
        "system:\n  rnic: {personality: rc}\n  hosts: {a: {}, b: {}}\n  links: [{between: [a, b]KEY}]\n"
        "run:\n  traffic: [{from: a, to: b, service: uc, pattern: ping_pong}]\n";
    for (const std::string key : {", loss: 1 %", ", corruption: 1 %", ", duplication: 1 %", ", reordering: 1 %"}) {
        std::string text = pair;
        text.replace(text.find("KEY"), 3, key);
        INFO(key);
        CHECK(rejection(text).find("found 'ping_pong', expected stream beside uc") != std::string::npos);
    }
    std::string text = pair;
    text.replace(text.find("KEY"), 3, "");
    CHECK(rejection(text).empty());
}

TEST_CASE("a mix and sizes are read, and the largest size counts", "[scenario]") {
    const Scenario s = ScenarioFile(with("size: 4 KiB",
                                         "mix: {write: 50 %, read: 33.3333 %, send: 16.6667 %}, "
                                         "sizes: [64 B, 4 KiB, 1 B]"))
                           .load();
    const TrafficConfig& item = s.points.at(0).configs.front().traffic.at(0);
    REQUIRE(item.verbs.mix.size() == 3);
    CHECK(item.verbs.mix[0].verb == rc::Verb::send);
    CHECK(item.verbs.mix[0].parts == 166'667);
    CHECK(item.verbs.mix[1].verb == rc::Verb::write);
    CHECK(item.verbs.mix[1].parts == 500'000);
    CHECK(item.verbs.mix[2].verb == rc::Verb::read);
    CHECK(item.verbs.sizes == std::vector{64U, 4096U, 1U});
    CHECK(item.size == 4096);
    const Scenario again = ScenarioFile(s.resolved).load();
    CHECK(again.resolved == s.resolved);
    CHECK(again.points.at(0).configs.front().traffic.at(0).verbs.mix[2].parts == 333'333);
    CHECK(again.points.at(0).configs.front().traffic.at(0).verbs.sizes == item.verbs.sizes);
}

TEST_CASE("a mix that is none is refused, with its place", "[scenario]") {
    CHECK(refuses("size: 4 KiB", "mix: {write: 50 %, read: 49.9 %}",
                  "FILE:10:53: run.traffic.0.mix.write: the shares of run.mix add up to 99.9 %, expected 100 %"));
    CHECK(refuses("size: 4 KiB", "mix: {read: 60 %, send: 50 %}",
                  "run.traffic.0.mix.send: the shares of run.mix add up to 110 %, expected 100 %"));
    CHECK(refuses("size: 4 KiB", "mix: {write: 50 %, raed: 50 %}",
                  "run.traffic.0.mix.raed: unknown key; did you mean 'read'?"));
    CHECK(refuses("size: 4 KiB", "mix: {send_inv: 100 %}", "run.traffic.0.mix.send_inv: unknown key"));
    CHECK(refuses("size: 4 KiB", "mix: {write: 101 %}", "expected a probability from 0 % to 100 %"));
    CHECK(refuses("size: 4 KiB", "mix: write", "run.traffic.0.mix: found 'write', expected a section of keys"));
    CHECK(refuses("size: 4 KiB", "operation: send, mix: {write: 50 %, read: 50 %}",
                  "run.traffic.0.operation: found 'send' beside a mix, expected it or run.mix"));
    CHECK(refuses("size: 4 KiB", "pattern: ping_pong, mix: {write: 50 %, read: 50 %}",
                  "run.traffic.0.pattern: found 'ping_pong', expected stream beside a mix"));
    CHECK(refuses("size: 4 KiB", "service: uc, mix: {write: 50 %, read: 50 %}",
                  "run.traffic.0.mix.read: found '50 %', expected 0 %: send, send_imm, write or write_imm beside uc"));
    CHECK(refuses("size: 4 KiB", "size: 64 B, service: ud, mix: {write: 50 %, send: 50 %}",
                  "run.traffic.0.mix.write: found '50 %', expected 0 %: send or send_imm beside ud"));
}

TEST_CASE("sizes beside a size, or that the item cannot have, are refused", "[scenario]") {
    CHECK(refuses("size: 4 KiB", "size: 4 KiB, sizes: [64 B, 1 KiB]",
                  "run.traffic.0.size: found '4 KiB' beside sizes, expected it or sizes, [64 B, 1 KiB]"));
    CHECK(refuses("size: 4 KiB", "sizes: [8 B, 0 B, 4 B]",
                  "FILE:10:53: run.traffic.0.sizes: found '0 B' in the list, expected byte counts from 1 B to 16 MiB"));
    CHECK(refuses("size: 4 KiB", "operation: fetch_add, sizes: [8 B]",
                  "run.traffic.0.sizes: found '[8 B]', expected size: 8 B"));
    CHECK(refuses("size: 4 KiB", "service: uc, sizes: [8 B, 7 B]",
                  "run.traffic.0.sizes: found '[8 B, 7 B]', expected at least 8 B each beside uc"));
    CHECK(refuses("size: 4 KiB", "service: ud, operation: send, sizes: [8 B, 1025 B]",
                  "run.traffic.0.sizes: found '[8 B, 1025 B]', expected at most the PMTU, 1024 B, beside ud"));
}

TEST_CASE("a wrong operation: whose each word is", "[scenario]") {
    CHECK(refuses("size: 4 KiB", "size: 4 KiB, operation: fetch",
                  "run.traffic.0.operation: found 'fetch', expected write, read, alternate, write_imm, send, send_imm, "
                  "compare_swap or fetch_add (DRP has the first three, verbs all but alternate)"));
}

TEST_CASE("a value that is refused and stands nowhere in the file: which preset gave it", "[scenario]") {
    const std::string of_profile = "; the value is from the preset system.rnic.profile: cx5_100g";
    // A DRP RNIC beside, whose clock has 8 ns; the place is that of the host.
    const std::string mixed = with("server: {}", "server: {rnic: {personality: drp}}");
    CHECK(rejection(mixed) ==
          "FILE:4:5: system.host.memory.latency: found '89.6 ns', expected a whole number of 8 ns cycles, such as 88 "
          "ns or 96 ns" +
              of_profile);
    // Beside a value that is written, the place is that one's.
    CHECK(rejection(with("profile: cx5_100g", "profile: cx5_100g, gmac: {mtu: 1087 B}")) ==
          "FILE:2:41: system.rnic.rc.pmtu: found '1 KiB', expected at most 512 B: the MTU, 1087 B, has 64 B of headers "
          "as well; or gmac.mtu of at least 1088 B" +
              of_profile);
    // What is written is of no preset, nor is a default.
    CHECK(rejection(mixed, {{"system.host.memory.latency", "89.6 ns"}}) ==
          "--set: system.host.memory.latency: found '89.6 ns', expected a whole number of 8 ns cycles, such as 88 ns "
          "or 96 ns");
    CHECK(rejection(with("size: 4 KiB", "size: 4 KiB, depth: 4, signal_every: 5")).find("preset") == std::string::npos);
}

TEST_CASE("a value for all items has to fit one of them, each takes what is of its kind", "[scenario]") {
    const std::string both =
        "system:\n"
        "  hosts: {a: {}, b: {}, c: {rnic: {personality: rc}}, d: {rnic: {personality: rc}},\n"
        "          e: {rnic: {personality: plain}}, f: {rnic: {personality: plain}}}\n"
        "  switches: {s0: {}}\n"
        "  links: [{between: [a, s0]}, {between: [b, s0]}, {between: [c, s0]}, {between: [d, s0]},\n"
        "          {between: [e, s0]}, {between: [f, s0]}]\n"
        "run:\n"
        "  traffic:\n"
        "    - {from: a, to: b}\n"
        "    - {from: c, to: d}\n"
        "    - {from: e, to: f, size: 1000 B}\n";
    const auto items = [&](const std::vector<Override>& overrides) {
        return ScenarioFile(both).load(overrides).points.at(0).configs.front().traffic;
    };
    const auto of_verbs = items({{"run.depth", "8"}, {"run.connections", "2"}, {"run.sizes", "[8 B, 16 B]"}});
    CHECK(of_verbs[1].verbs.depth == 8);
    CHECK(of_verbs[1].verbs.connections == 2);
    CHECK(of_verbs[1].size == 16);
    CHECK(of_verbs[0].verbs.depth == VerbsTraffic{}.depth);
    CHECK(of_verbs[0].size == 128 * 1024);
    CHECK(of_verbs[0].verbs.sizes.empty());
    CHECK(of_verbs[2].size == 1000);
    const auto of_others = items({{"run.in_flight", "3"},
                                  {"run.think", "1 us"},
                                  {"run.class", "1"},
                                  {"run.ecn", "true"},
                                  {"system.switch.ecn.at", "enqueue"}});
    CHECK(of_others[0].in_flight == 3);
    CHECK(of_others[1].in_flight == 1);
    CHECK(of_others[2].in_flight == 1);
    CHECK(of_others[0].think == Cycle{125});
    CHECK(of_others[1].think == Cycle{});
    CHECK(of_others[2].think == Cycle{125});
    CHECK(of_others[0].traffic_class == 0);
    CHECK_FALSE(of_others[1].ecn_capable);
    CHECK(of_others[2].traffic_class == 1);
    CHECK(of_others[2].ecn_capable);
    // But not one's own that it has no use for, nor the one for all if who could take it has its own.
    CHECK(
        rejection(both, {{"run.traffic.0.depth", "8"}}).find("--set: run.traffic.0.depth: has no effect: it is for") ==
        0);
    CHECK(rejection(both, {{"run.depth", "8"}, {"run.traffic.1.depth", "4"}})
              .find("--set: run.depth: has no effect: it is for messages of verbs") == 0);
}

TEST_CASE("a host's clock need not divide what calls of programs take", "[scenario]") {
    CHECK(
        rejection("system:\n  rnic: {personality: rc, pcie: {latency: 144 ns, request_overhead: 144 ns}}\n"
                  "  host: {clock: 3 ns, memory: {latency: 144 ns}, verbs: {post: 144 ns, push: 144 ns, poll: 144 ns, "
                  "receive: 144 ns}}\n  hosts: {a: {}, b: {}}\n  links: [{between: [a, b]}]\n"
                  "run: {traffic: [{from: a, to: b, operation: send}]}\n")
            .empty());
}

TEST_CASE("keys of verbs have no effect where there are none", "[scenario]") {
    const std::string drp =
        "system:\n  hosts: {a: {}, b: {}}\n  links: [{between: [a, b]}]\nrun:\n  traffic: [{from: a, to: b, KEY}]\n";
    for (const std::string key : {"service: ud", "pattern: ping_pong", "depth: 2", "outstanding: 2", "connections: 2",
                                  "regions: host", "signal_every: 2", "mix: {write: 100 %}", "sizes: [1 B]"}) {
        std::string text = drp;
        text.replace(text.find("KEY"), 3, key);
        INFO(key);
        CHECK(rejection(text).find("has no effect: it is for messages of verbs") != std::string::npos);
    }
    std::string text = drp;
    text.replace(text.find("KEY"), 3, "operation: send");
    CHECK(rejection(text).find("found 'send', expected write, read or alternate: DRP has no other") !=
          std::string::npos);
    CHECK(rejection("run: {operation: send}\n").find("DRP has no other") != std::string::npos);
}

}  // namespace
}  // namespace rnicsim
