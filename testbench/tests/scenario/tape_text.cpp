// SPDX-License-Identifier: Apache-2.0
// Fault tapes as text: every kind of entry, both ways, and what is refused with its line.
#include "testbench/tape/tape_text.h"
#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/plain/end_config.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/scenario/scenario.h"
#include "testbench/tests/support/cycles.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <tuple>

namespace rnicsim {
namespace {

const std::string kHead = "rnicsim fault tape 1\n";

const std::string kAll = kHead +
                         "a>b a7 REQ #1 lost\n"
                         "b>a a7 REQ_ACK #2 lost\n"
                         "a>b a7 DATA 12 #1 corrupted 345\n"
                         "a>b a7 DATA 12 #2 duplicated\n"
                         "a>b a7 DATA 13 #1 duplicated 100 cycles\n"
                         "b>a a7 ACK #5 delayed 60 cycles\n"
                         "b>a b70000 DATA 4294967295 #3 overtaken 2500 cycles\n"
                         "a>b b70000 REL_ACK #1 delayed 1 cycles\n"
                         "b>a b70000 REL #1 overtaken 9 cycles\n"
                         "a>b ORDINARY #17 lost\n"
                         "b a7 REGISTRATION #2 failed\n"
                         "a TASK 3 #1 holds 125000 cycles\n"
                         "a TASK 3 #2 rests 250000 cycles\n"
                         "link DOWN 125000 cycles..250000 cycles\n";

TEST_CASE("a tape that is written is the tape that is read", "[scenario]") {
    const FaultTape tape = read_tape(kAll, "t");
    CHECK(tape.size() == 14);
    CHECK(write_tape(tape) == kAll);
    CHECK(write_tape({}) == kHead);
    CHECK(read_tape(kHead, "t").empty());
}

TEST_CASE("every field of a tape's entry is as written", "[scenario]") {
    const FaultTape tape = read_tape(kAll, "t");
    const auto& data = std::get<TapedFrame>(tape.at(6));
    CHECK(data.frame.from_side == 1);
    CHECK(data.frame.initiator == 1);
    CHECK(data.frame.transfer == 70'000);
    CHECK(data.frame.kind == FrameKind::data);
    CHECK(data.frame.sn == 4'294'967'295);
    CHECK(data.frame.ordinal == 2);
    CHECK(data.fault == FrameFault::overtaken);
    CHECK(data.value == cycles(2500).ps);
    const auto& attempt = std::get<TapedRegistration>(tape.at(10));
    CHECK(attempt.end == 1);
    CHECK(attempt.transfer == 7);
    CHECK(attempt.attempt == 1);
    const auto& task = std::get<TapedTask>(tape.at(12));
    CHECK(task.end == 0);
    CHECK(task.task == 3);
    CHECK(task.n == 1);
    CHECK_FALSE(task.holds);
    CHECK(task.time == Cycle{250'000});
    const auto& down = std::get<LinkDown>(tape.at(13));
    CHECK(down.from == kMillisecond);
    CHECK(down.to == kMillisecond * 2);
}

TEST_CASE("a tape may be written by hand: units, comments, blanks", "[scenario]") {
    const FaultTape tape = read_tape(kHead +
                                         "# the second REQ_ACK of transfer 7\r\n"
                                         "\n"
                                         "  b>a   a7\tREQ_ACK #2 lost   # by hand\n"
                                         "a>b a0 DATA 0 #1 delayed 4 us # a long one\n"
                                         "link DOWN 1 ms .. 2 ms",
                                     "t");
    CHECK(write_tape(tape) == kHead +
                                  "b>a a7 REQ_ACK #2 lost\n"
                                  "a>b a0 DATA 0 #1 delayed 500 cycles\n"
                                  "link DOWN 125000 cycles..250000 cycles\n");
}

/// A server and three clients at s0; s1 behind it over two links, with a plain host of 100 Gb/s.
TapeNames network_names(std::size_t bridges = 0) {
    RunConfig run;
    run.network = true;
    run.names = HostNames::of_network({"server", "client0", "client1", "noise"});
    run.hosts.assign(3, DrpEndConfig{});
    run.hosts.emplace_back(PlainEndConfig{});
    run.switches.resize(2);
    run.switches[0].name = "s0";
    run.switches[1].name = "s1";
    run.links.clear();
    const auto join = [&](const char* name, Node one, Node other) {
        LinkConfig& link = run.links.emplace_back();
        link.name = name;
        link.between = {one, other};
    };
    using enum Node::Kind;
    join("server-s0", {host, 0}, {network_switch, 0});
    join("client0-s0", {host, 1}, {network_switch, 0});
    join("client1-s0", {host, 2}, {network_switch, 0});
    join("left", {network_switch, 0}, {network_switch, 1});
    join("right", {network_switch, 1}, {network_switch, 0});
    join("noise-s1", {host, 3}, {network_switch, 1});
    run.bridges.resize(bridges);
    for (std::size_t i = 0; i < bridges; ++i) run.bridges[i].name = "n" + std::to_string(i);
    return TapeNames(run);
}

const std::string kNetworkHead = "rnicsim fault tape 2\n";

TEST_CASE("a tape of a network names hosts, links and their directions", "[scenario]") {
    const std::string all = kNetworkHead +
                            "client1>s0 client1.7 DATA 12 #1 lost\n"
                            "s0>server client1.7 DATA 12 #2 delayed 60 cycles\n"
                            "s1>s0:left ORDINARY #3 corrupted 9\n"
                            "s1>s0:right ORDINARY #3 duplicated 80 ps\n"
                            "server client0.7 REGISTRATION #2 failed\n"
                            "client0 TASK 3 #1 holds 125000 cycles\n"
                            "link client0-s0 DOWN 125000 cycles..250000 cycles\n"
                            "link noise-s1 DOWN 80 ps..1000000000080 ps\n";
    const TapeNames names = network_names();
    const FaultTape tape = read_tape(all, "t", names);
    CHECK(write_tape(tape, names) == all);
    const auto at = [&](std::size_t i) {
        const FrameName& frame = std::get<TapedFrame>(tape.at(i)).frame;
        return std::tuple{int{frame.link}, int{frame.from_side}, int{frame.initiator}};
    };
    CHECK(at(0) == std::tuple{2, 0, 2});
    CHECK(at(1) == std::tuple{0, 1, 2});
    CHECK(at(2) == std::tuple{3, 1, 0});
    CHECK(at(3) == std::tuple{4, 0, 0});
    CHECK(std::get<TapedFrame>(tape.at(3)).value == 80);
    CHECK(std::get<TapedRegistration>(tape.at(4)) == TapedRegistration{0, 1, 7, 1});
    CHECK(std::get<TapedTask>(tape.at(5)).end == 1);
    CHECK(std::get<LinkDown>(tape.at(7)) == LinkDown{Time{80}, Time{1'000'000'000'080}, 5});
}

TEST_CASE("where there are bridges a line that names none is refused with one of them", "[scenario]") {
    const TapeNames names = network_names(2);
    CHECK(std::get<LinkDown>(read_tape(kNetworkHead + "link n1 DOWN 1 ms..2 ms\n", "x.tape", names).at(0)).link == 7);
    for (const auto& [line, found] : {std::pair("link n7 DOWN 1 ms..2 ms", "found 'n7' behind 'link'"),
                                      std::pair("n0 DOWN 1 ms..2 ms", "found 'n0'")}) {
        CHECK_THROWS_WITH(read_tape(kNetworkHead + line, "x.tape", names),
                          Catch::Matchers::StartsWith(std::string("x.tape:2: ") + found) &&
                              Catch::Matchers::EndsWith("'link server-s0 DOWN', of a bridge 'link n0 DOWN'"));
    }
}

TEST_CASE("a link is down once at a time: lines that overlap are refused, and those that touch are not", "[scenario]") {
    const TapeNames names = network_names(1);
    const std::string before = kNetworkHead + "link n0 DOWN 9 ms..10 ms\nlink n0 DOWN 1 ms..2 ms\n";
    for (const char* const apart :
         {"link n0 DOWN 2 ms..3 ms", "link n0 DOWN 0 ms..1 ms", "link left DOWN 1 ms..2 ms"}) {
        CAPTURE(apart);
        CHECK(read_tape(before + apart, "x.tape", names).size() == 3);
    }
    for (const char* const overlaps : {"link n0 DOWN 1.5 ms..3 ms", "link n0 DOWN 0 ms..1.5 ms",
                                       "link n0 DOWN 1.25 ms..1.5 ms", "link n0 DOWN 0 ms..8 ms"}) {
        CAPTURE(overlaps);
        CHECK_THROWS_WITH(read_tape(before + overlaps, "x.tape", names),
                          Catch::Matchers::StartsWith("x.tape:4: 'link n0 DOWN ") &&
                              Catch::Matchers::ContainsSubstring(" overlaps with line 3, expected one line"));
    }
    CHECK_THROWS_WITH(read_tape(kHead + "link DOWN 1 ms..2 ms\nlink DOWN 1 ms..3 ms\n", "x.tape"),
                      Catch::Matchers::EndsWith("overlaps with line 2, expected one line, such as "
                                                "'link DOWN 125000 cycles..375000 cycles'"));
}

TEST_CASE("a bad tape of a network is refused with what its lines may name", "[scenario]") {
    const auto line = [&](const std::string& entry, const std::string& message) {
        CAPTURE(entry);
        CHECK_THROWS_MATCHES(read_tape(kNetworkHead + entry, "x.tape", network_names()), ScenarioError,
                             Catch::Matchers::MessageMatches(Catch::Matchers::StartsWith("x.tape:2: " + message)));
    };
    line("client0>server client0.7 REQ #1 lost",
         "found 'client0>server', expected a direction such as server>s0 and a frame, a host and a registration or "
         "task, or 'link server-s0 DOWN'");
    line("s0>s1 ORDINARY #1 lost", "found 's0>s1', expected a direction such as");
    line("link DOWN 1 ms..2 ms", "found 'DOWN' behind 'link', expected 'link server-s0 DOWN'");
    line("link up DOWN 1 ms..2 ms", "found 'up' behind 'link', expected 'link server-s0 DOWN'");
    line("link", "found 'link', expected a direction such as");
    line("client0>s0 client0 REQ #1 lost", "the line ends, expected a transfer");
    line("client0>s0 client07 REQ #1 lost", "found 'client07', expected a transfer");
    line("noise>s1 noise.7 REQ #1 lost",
         "found 'noise.7', and a plain host has no transfers, expected ORDINARY, or a transfer of a DRP host");
    line("noise TASK 1 #1 holds 5 us", "found 'noise', which has no DRP RNIC, expected one that has");
    line("client0>s0 client0.7 REQ #1 delayed 0 ps", "found no time, expected at least a cycle");
    line("client0>s0 client0.7 REQ #1 delayed 1.5 ps", "found '1.5', expected a whole number of picoseconds");
    line("client0>s0 client0.7 REQ #1 delayed 100000000001 ps", "found '100000000001 ps', expected 100 ms at most");
    CHECK_THROWS_MATCHES(
        read_tape(kHead, "x.tape", network_names()), ScenarioError,
        Catch::Matchers::Message("x.tape:1: found 'rnicsim fault tape 1', expected the first line "
                                 "'rnicsim fault tape 2': the scenario has hosts with names of their own"));
}

/// a, b with RoCEv2 RNICs at a link.
TapeNames verbs_names() {
    RunConfig run;
    run.network = true;
    run.names = HostNames::of_network({"a", "b"});
    run.hosts.assign(2, VerbsEndConfig{});
    return TapeNames(run);
}

TEST_CASE("a tape names RoCEv2 packets by the QP that asks and its PSN", "[scenario]") {
    const std::string all = kNetworkHead +
                            "a>b a.q3 WRITE +12 #1 lost\n"
                            "b>a a.q3 ACK +12 #2 lost\n"
                            "b>a a.q0 RESPONSE +16777215 #1 corrupted 9\n"
                            "b>a a.q11 CNP #4 lost\n"
                            "a>b a.q0 ATOMIC +0 #1 duplicated\n"
                            "b>a a.q0 ATOMIC_ACK +0 #1 overtaken 60 cycles\n"
                            "a>b a.q0 FLUSH +7 #1 lost\n"
                            "b>a a.q0 PACK +8 #1 lost\n"
                            "a>b ORDINARY #3 lost\n";
    const TapeNames names = verbs_names();
    const FaultTape tape = read_tape(all, "t", names);
    CHECK(write_tape(tape, names) == all);
    const FrameName& first = std::get<TapedFrame>(tape.at(0)).frame;
    CHECK(first == FrameName{3, 0, 0, 0, FrameKind::roce_write, 12, 0});
    CHECK(std::get<TapedFrame>(tape.at(1)).frame == FrameName{3, 0, 0, 1, FrameKind::roce_ack, 12, 1});
    CHECK(std::get<TapedFrame>(tape.at(3)).frame == FrameName{11, 0, 0, 1, FrameKind::roce_cnp, 0, 3});
}

TEST_CASE("a bad line about a RoCEv2 packet is refused with what was expected", "[scenario]") {
    const auto line = [&](const std::string& entry, const std::string& message) {
        CAPTURE(entry);
        CHECK_THROWS_MATCHES(read_tape(kNetworkHead + entry, "x.tape", verbs_names()), ScenarioError,
                             Catch::Matchers::MessageMatches(Catch::Matchers::StartsWith("x.tape:2: " + message)));
    };
    line("a>b a.q0 WRITE 2 #1 lost", "found '2', expected the PSN from the QP's first one, such as +12");
    line("a>b a.q0 WRITE +16777216 #1 lost", "found '16777216', expected the PSN");
    line("a>b a.q0 DATA +2 #1 lost",
         "found 'DATA', expected SEND, WRITE, READ, ATOMIC, RESPONSE, ACK, ATOMIC_ACK, CNP, FLUSH or PACK");
    line("a>b a.q0 WRITE +2 #1 delayed 3 ns",
         "found '3 ns', expected a time of whole cycles of 8 ns such as '60 cycles' or '4 us', or of whole picoseconds "
         "such as '720 ps'");
    line("a>b a.qx WRITE +2 #1 lost", "found 'x', expected the number of a QP of its host, from 0, such as q3");
    line("a>b a.7 REQ #1 lost", "found 'a.7', and that host has QPs, expected one of them, such as a.q0");
    line("a>b c.q1 WRITE +1 #1 lost", "found 'c.q1', expected a QP such as a.q0");
    line("a>b a.q0 CNP +1 #1 lost", "found '+1', expected which transmission");
    line("a a.7 REGISTRATION #1 failed", "found 'a', which has no DRP RNIC, expected one that has");
}

TEST_CASE("a bad tape is refused with its line, what was found and what was expected", "[scenario]") {
    const auto refuses = [](const std::string& text, const std::string& message) {
        CAPTURE(text);
        CHECK_THROWS_MATCHES(read_tape(text, "x.tape"), ScenarioError,
                             Catch::Matchers::MessageMatches(Catch::Matchers::StartsWith(message)));
    };
    const auto line = [&](const std::string& entry, const std::string& message) {
        refuses(kHead + entry, "x.tape:2: " + message);
    };
    refuses("", "x.tape: is empty, expected the first line 'rnicsim fault tape 1'");
    refuses("a>b a7 REQ #1 lost\n", "x.tape:1: found 'a>b a7 REQ #1 lost', expected the first line");
    refuses("rnicsim fault tape 2\n", "x.tape:1: found 'rnicsim fault tape 2', expected the first line");
    line("a<b a7 REQ #1 lost", "found 'a<b', expected a>b or b>a and a frame, a or b and");
    line("a>b", "the line ends, expected a transfer");
    line("a>b 7 REQ #1 lost", "found '7', expected a transfer");
    line("a>b a REQ #1 lost", "the line ends, expected a transfer");
    line("a>b a-7 REQ #1 lost", "found '-7', expected a transfer");
    line("a>b a7 ORDINARY #1 lost", "found 'ORDINARY' behind a transfer");
    line("a>b a7 REQUEST #1 lost", "found 'REQUEST', expected REQ, REQ_ACK, DATA, ACK, REL or REL_ACK");
    line("a>b a7 DATA #1 lost", "found '#1', expected the SN of the data frame");
    line("a>b a7 DATA 4294967296 #1 lost", "found '4294967296', expected the SN");
    line("a>b a7 REQ 1 lost", "found '1', expected which transmission or attempt, #1 for the first");
    line("a>b a7 REQ #0 lost", "found '#0', expected which transmission");
    line("a>b a7 REQ #1", "the line ends, expected lost, corrupted BIT");
    line("a>b a7 REQ #1 gone", "found 'gone', expected lost, corrupted BIT");
    line("a>b a7 REQ #1 corrupted", "the line ends, expected the bit of the frame");
    line("a>b a7 REQ #1 delayed", "the line ends, expected a time");
    line("a>b a7 REQ #1 delayed 0 cycles", "found no time, expected at least a cycle");
    line("a>b a7 REQ #1 delayed 12 ns", "found '12 ns', expected a time of whole cycles of 8 ns");
    line("a>b a7 REQ #1 delayed 5 B", "found '5 B', expected a time");
    line("a>b a7 REQ #1 delayed -5 cycles", "found '-5', expected a time");
    line("a>b a7 REQ #1 overtaken 100.001 ms", "found '100.001 ms', expected 100 ms at most; a frame that never");
    line("a>b a7 REQ #1 lost twice", "found 'twice', expected the end of the line");
    line("b b7 REGISTRATION #1 failed", "found a transfer that this end asks for itself");
    line("b a7 REGISTER #1 failed", "found 'REGISTER', expected REGISTRATION");
    line("b a7 REGISTRATION #1 lost", "found 'lost', expected failed");
    line("b TASK 64 #1 holds 5 us", "found '64', expected the number of a task");
    line("b TASK 1 #1 has 5 us", "found 'has', expected holds TIME or rests TIME");
    line("link UP 1 ms..2 ms", "found 'UP', expected DOWN");
    line("link DOWN 1 ms", "found '1 ms', expected FROM..TO");
    line("link DOWN 2 ms..1 ms", "found '2 ms..1 ms', expected a time TO after FROM");
    refuses(kHead + "b TASK 1 #2 holds 5 us\na TASK 1 #1 holds 5 us\nb TASK 1 #3 holds 5 us\n",
            "x.tape:4: found 'holds', expected 'rests': a task holds memory and rests in turn, see line 2");
    refuses(kHead + "a>b a7 REQ #1 delayed 5 cycles\n\na>b a7 REQ #1 delayed 9 us\n",
            "x.tape:4: 'a>b a7 REQ #1 delayed' is in line 2 already");
    refuses(kHead + "a>b a7 REQ #1 lost\na>b a7 REQ #1 corrupted 1\n",
            "x.tape:3: the frame is lost and meets another fault");
    refuses(kHead + "a>b a7 REQ #1 corrupted 1\na>b a7 REQ #1 lost\n",
            "x.tape:3: the frame is lost and meets another fault");
    CHECK_THROWS_MATCHES(
        load_tape_text("/nowhere/x.tape"), ScenarioError,
        Catch::Matchers::MessageMatches(Catch::Matchers::StartsWith("/nowhere/x.tape: cannot be read")));
}

}  // namespace
}  // namespace rnicsim
