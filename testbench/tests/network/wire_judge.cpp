// SPDX-License-Identifier: Apache-2.0
// The judge that sees frames only: each wrong packet is named, and nothing that is right.
#include "testbench/kits/rc/wire_judge.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdint>
#include <string>
#include <tuple>

namespace rnicsim {
namespace {

using Catch::Matchers::ContainsSubstring;
using roce::Header;
using roce::Opcode;

constexpr std::uint32_t kMtu = 256;
constexpr roce::Qpn kA{3}, kB{5};
constexpr roce::Psn kFirst{roce::Psn::kMask - 1};  // wraps behind the second packet

/// a asks b; the wire brings all, or what the test says.
struct Wire {
    explicit Wire(bool in_order = true, unsigned other_host = 1, roce::Qpn other = kB) : b_host(other_host), b(other) {
        WireJudge::Connection c;
        c.ends = {WireJudge::End{0, kA, kFirst, 4, 2}, WireJudge::End{b_host, b, kFirst, 4, 2}};
        c.pmtu = kMtu;
        c.in_order = in_order;
        judge.connect(c);
    }

    Header request(Opcode opcode, std::uint32_t n, std::uint32_t payload = kMtu, std::uint32_t length = 0) {
        Header h;
        h.opcode = opcode;
        h.to = b;
        h.psn = kFirst + n;
        h.payload = payload;
        h.length = length;
        return h;
    }
    Header reply(Opcode opcode, std::uint32_t n, roce::AckKind kind = roce::AckKind::ack, std::uint8_t value = 31) {
        Header h;
        h.opcode = opcode;
        h.to = kA;
        h.psn = kFirst + n;
        h.aeth = {kind, value, roce::Psn{msn}};
        return h;
    }
    Header nak(std::uint32_t n, roce::NakCode code = roce::NakCode::psn_sequence) {
        return reply(Opcode::ack, n, roce::AckKind::nak, static_cast<std::uint8_t>(code));
    }

    void asks(const Header& h, bool comes = true) { carry(h, 0, b_host, comes); }
    void answers(const Header& h, bool comes = true) { carry(h, b_host, 0, comes); }
    void carry(const Header& h, unsigned from, unsigned to, bool comes) {
        FrameRef frame = frames.take();
        roce::format(*frame, {.from = from, .to = to, .source_port = 0xC000}, h);
        roce::seal(*frame);
        judge.sent(from, *frame, {});
        if (comes) judge.arrived(to, *frame);
    }

    const unsigned b_host;
    const roce::Qpn b;
    FramePool frames;
    WireJudge judge{HostNames()};
    std::uint32_t msn = 0;
};

TEST_CASE("By frames alone: what follows the rules is not blamed", "[network]") {
    Wire wire;
    wire.asks(wire.request(Opcode::write_first, 0, kMtu, 2 * kMtu + 4));
    wire.asks(wire.request(Opcode::write_middle, 1), false);
    wire.asks(wire.request(Opcode::write_last, 2, 4));
    wire.answers(wire.nak(1));
    wire.asks(wire.request(Opcode::write_middle, 1));
    wire.asks(wire.request(Opcode::write_last, 2, 4));
    wire.msn = 1;
    wire.answers(wire.reply(Opcode::ack, 2));
    wire.asks(wire.request(Opcode::read_request, 3, 0, 3 * kMtu));
    wire.msn = 2;
    wire.answers(wire.reply(Opcode::read_first, 3));
    wire.asks(wire.request(Opcode::fetch_add, 6, 0));
    wire.answers(wire.reply(Opcode::read_middle, 4));
    wire.answers(wire.reply(Opcode::read_last, 5));
    wire.msn = 3;
    wire.answers(wire.reply(Opcode::atomic_ack, 6));
    wire.asks(wire.request(Opcode::send_only, 7, 0));
    wire.answers(wire.reply(Opcode::ack, 7, roce::AckKind::rnr_nak, 1));
    CHECK(wire.judge.violation().empty());
    CHECK(wire.judge.judged() == 15);
}

TEST_CASE("By frames alone, V-R4, V-C10: what has come behind a READ is acknowledged with that", "[network]") {
    for (const bool told : {true, false}) {
        Wire wire(false);
        wire.asks(wire.request(Opcode::read_request, 0, 0, 8), false);
        for (std::uint32_t n = 1; n < 4; ++n) {
            wire.asks(wire.request(Opcode::selective_write_only, n, 8, 8));
            Header nak = wire.nak(0);
            nak.opcode = Opcode::selective_nak;
            nak.arrived = kFirst + n;
            wire.answers(nak, told || n != 1);
        }
        wire.asks(wire.request(Opcode::read_request, 0, 0, 8));
        wire.msn = 1;
        wire.answers(wire.reply(Opcode::read_only, 0));
        for (std::uint32_t n = 4; n < 8; ++n) wire.asks(wire.request(Opcode::selective_write_only, n, 8, 8));
        CHECK(wire.judge.violation().empty() == told);
    }
}

TEST_CASE("By frames alone, V-R12: packets of a WRITE that say where they go agree", "[network]") {
    for (const auto& [address, length, agrees] :
         {std::tuple{std::uint64_t{4096 + kMtu}, 4U, true}, {4096, 4U, false}, {4096 + kMtu, 8U, false}}) {
        Wire wire(false);
        Header first = wire.request(Opcode::selective_write_first, 0, kMtu, kMtu + 4);
        first.address = 4096;
        wire.asks(first);
        Header last = wire.request(Opcode::selective_write_last, 1, 4, length);
        last.address = address;
        wire.asks(last);
        CHECK(wire.judge.violation().empty() == agrees);
    }
}

TEST_CASE("By frames alone, V-Q7: also of QPs of one host, and of one that is connected to itself", "[network]") {
    for (const roce::Qpn other : {kB, kA}) {
        Wire wire(true, 0, other);
        wire.asks(wire.request(Opcode::write_only, 0, 8, 8));
        wire.msn = 1;
        wire.answers(wire.reply(Opcode::ack, 0));
        wire.asks(wire.request(Opcode::read_request, 1, 0, 8));
        wire.msn = 2;
        wire.answers(wire.reply(Opcode::read_only, 1));
        CHECK(wire.judge.violation().empty());
        CHECK(wire.judge.judged() == 4);
        wire.answers(wire.reply(Opcode::ack, 2));
        CHECK_THAT(wire.judge.violation(), ContainsSubstring("V-I9"));
    }
}

TEST_CASE("By frames alone, V-R1: opcodes follow one another, and packets have their bytes", "[network]") {
    for (const auto& [opcode, payload, length, what] :
         {std::tuple{Opcode::send_middle, kMtu, 0U, "does not follow"},
          {Opcode::write_last, 4U, 0U, "does not follow"},
          {Opcode::send_first, kMtu - 4, 0U, "bytes in it, with a PMTU of 256"},
          {Opcode::write_only, 8U, 12U, "where 12 are left"},
          {Opcode::write_first, kMtu, kMtu, "where 256 are left"}}) {
        Wire wire;
        wire.asks(wire.request(opcode, 0, payload, length));
        CHECK_THAT(wire.judge.violation(), ContainsSubstring("QP 3 of a, PSN +0: V-R1") && ContainsSubstring(what));
    }
    Wire wire;
    wire.asks(wire.request(Opcode::send_first, 0));
    wire.asks(wire.request(Opcode::write_middle, 1));
    CHECK_THAT(wire.judge.violation(), ContainsSubstring("PSN +1: V-R1"));
}

TEST_CASE("By frames alone, V-R2: packets leave in the order of their PSNs", "[network]") {
    Wire wire;
    wire.asks(wire.request(Opcode::send_only, 0));
    wire.asks(wire.request(Opcode::send_only, 2));
    CHECK_THAT(wire.judge.violation(), ContainsSubstring("PSN +2: V-R2: it leaves, and +1 never has"));
    Wire within;
    within.asks(within.request(Opcode::send_first, 0));
    within.asks(within.request(Opcode::read_request, 1, 0, 8));
    CHECK_THAT(within.judge.violation(), ContainsSubstring("V-R2: a READ or atomic within a message"));
}

TEST_CASE("By frames alone, V-R4: no more than the window is outstanding", "[network]") {
    Wire wire;
    for (std::uint32_t n = 0; n < 4; ++n) wire.asks(wire.request(Opcode::send_only, n));
    CHECK(wire.judge.violation().empty());
    wire.answers(wire.reply(Opcode::ack, 0), false);  // lost: the requester cannot know
    wire.asks(wire.request(Opcode::send_only, 4));
    CHECK_THAT(wire.judge.violation(), ContainsSubstring("PSN +4: V-R4: 4 PSNs are outstanding, of 4"));
}

TEST_CASE("By frames alone, V-R6: no more READs and atomics are outstanding than may be", "[network]") {
    Wire wire;
    wire.asks(wire.request(Opcode::read_request, 0, 0, 8));
    wire.asks(wire.request(Opcode::compare_swap, 1, 0));
    CHECK(wire.judge.violation().empty());
    wire.asks(wire.request(Opcode::read_request, 2, 0, 8));
    CHECK_THAT(wire.judge.violation(), ContainsSubstring("V-R6: 3 READs and atomics are outstanding, of 2"));
}

TEST_CASE("By frames alone, V-I9: nothing is acknowledged or answered that has not come", "[network]") {
    Wire lost;
    lost.asks(lost.request(Opcode::send_only, 0), false);
    lost.answers(lost.reply(Opcode::ack, 0));
    CHECK_THAT(lost.judge.violation(), ContainsSubstring("V-I9: an answer to what has not come; all before +0 has"));
    Wire gap;
    gap.asks(gap.request(Opcode::send_only, 0), false);
    gap.asks(gap.request(Opcode::send_only, 1));
    gap.answers(gap.reply(Opcode::ack, 1));
    CHECK_THAT(gap.judge.violation(), ContainsSubstring("PSN +1: V-I9"));
    Wire refused;
    refused.answers(refused.nak(0, roce::NakCode::remote_access));
    CHECK_THAT(refused.judge.violation(), ContainsSubstring("V-I9"));
    Wire unasked;
    unasked.asks(unasked.request(Opcode::send_only, 0));
    unasked.answers(unasked.reply(Opcode::read_only, 0));
    CHECK_THAT(unasked.judge.violation(), ContainsSubstring("V-I9: an answer to what has not been asked"));
}

TEST_CASE("By frames alone: what comes ahead counts with selective repeat only", "[network]") {
    for (const bool in_order : {true, false}) {
        Wire wire(in_order);
        wire.asks(wire.request(Opcode::send_only, 0), false);
        wire.asks(wire.request(Opcode::send_only, 1));
        wire.asks(wire.request(Opcode::send_only, 0));
        wire.answers(wire.reply(Opcode::ack, 1));
        CHECK(wire.judge.violation().empty() == !in_order);
    }
}

TEST_CASE("By frames alone, V-S1: one NAK sequence a gap", "[network]") {
    Wire wire;
    wire.asks(wire.request(Opcode::send_only, 0), false);
    wire.asks(wire.request(Opcode::send_only, 1));
    wire.answers(wire.nak(0));
    wire.asks(wire.request(Opcode::send_only, 0));  // comes, and finds no receive WQE
    wire.asks(wire.request(Opcode::send_only, 1));
    wire.answers(wire.nak(0));
    CHECK(wire.judge.violation().empty());
    wire.answers(wire.nak(0));
    CHECK_THAT(wire.judge.violation(), ContainsSubstring("PSN +0: V-S1: a second NAK sequence"));
}

TEST_CASE("By frames alone, V-S3: the MSN never goes back", "[network]") {
    Wire wire;
    wire.asks(wire.request(Opcode::send_only, 0));
    wire.msn = 1;
    wire.answers(wire.reply(Opcode::ack, 0));
    wire.asks(wire.request(Opcode::send_only, 1));
    wire.msn = 0;
    wire.answers(wire.reply(Opcode::ack, 1));
    CHECK_THAT(wire.judge.violation(), ContainsSubstring("V-S3: MSN 0 behind 1"));
}

}  // namespace
}  // namespace rnicsim
