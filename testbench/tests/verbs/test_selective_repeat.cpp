// SPDX-License-Identifier: Apache-2.0
// V-R11, V-C9, V-C10, V-S10 to V-S13: selective repeat, at both ends.
#include "testbench/tests/verbs/verbs_end.h"

namespace rnicsim::rc {
namespace {

using roce::Header;
using roce::NakCode;
using roce::Opcode;

EndSettings selective() {
    EndSettings s;
    s.config.retransmission = &retransmission("selective_repeat");
    return s;
}

Header selective_nak(Psn expected, Psn arrived) {
    Header h = nak(expected, NakCode::psn_sequence);
    h.opcode = Opcode::selective_nak;
    h.arrived = arrived;
    return h;
}

/// A packet of a WRITE of 1000 bytes to 40960 that begins at PSN 500.
Header packet_of_write(std::uint32_t at, const End& e, Opcode last = Opcode::write_last) {
    Header h = request(at == 3 ? last : Opcode::write_middle, {500 + at}, at == 3 ? 232 : 256);
    if (at == 0) {
        h.opcode = Opcode::write_first;
        h = reth(h, e, 1000);
    }
    h.ack_request = at == 3;
    return h;
}

/// A packet of a WRITE that says where it goes, and that this is apart from all before.
Header placed_packet(Opcode opcode, Psn psn, std::uint32_t payload, std::uint32_t left, std::uint64_t address,
                     const End& e) {
    Header h = reth(request(opcode, psn, payload), e, left, address);
    h.apart = true;
    return h;
}

}  // namespace

TEST_CASE("V-S10: payload of a WRITE that comes ahead is placed, all else stays in order", "[verbs]") {
    End e(selective());
    e.packet(packet_of_write(0, e));
    CHECK(e.packet(packet_of_write(2, e)) == Lines{"place 502 41472+256"});
    CHECK(e.packet(packet_of_write(3, e)) == Lines{"place 503 41728+232"});
    CHECK(e.packet(packet_of_write(2, e)) == Lines{});  // a copy
    CHECK(e.rc.count(RcCount::duplicates) == 1);
    CHECK(e.state().responder.expected == Psn{501});
    CHECK(e.state().responder.msn == Psn{0});
    CHECK(e.answers() == Lines{"selective_nak 501 arrived 502", "selective_nak 501 arrived 503"});
    CHECK(e.packet(packet_of_write(1, e)) == Lines{"place 501 41216+256"});
    CHECK(e.answers() == Lines{"ack 503 msn 1"});
    CHECK(e.state().responder.early.came.empty());
}

TEST_CASE("V-S10: a WRITE that begins ahead is known by its first packet", "[verbs]") {
    End e(selective());
    e.packet(packet_of_write(0, e));
    e.packet(packet_of_write(3, e));
    CHECK(e.packet(request(Opcode::write_middle, {505}, 256)) == Lines{});  // of which message?
    CHECK(e.packet(reth(request(Opcode::write_first, {504}, 256), e, 600, 50000)) == Lines{"place 504 50000+256"});
    CHECK(e.packet(request(Opcode::write_last, {506}, 88)) == Lines{"place 506 50512+88"});
    CHECK(e.packet(reth(request(Opcode::write_only, {507}, 0), e, 0, 60000)) == Lines{});  // nothing to place
    e.packet(packet_of_write(1, e));
    e.answers();
    e.packet(packet_of_write(2, e));
    CHECK(e.answers() == Lines{"ack 504 msn 1"});
    CHECK(e.packet(request(Opcode::write_middle, {505}, 256)) == Lines{"place 505 50256+256"});
    CHECK(e.answers() == Lines{"ack 507 msn 3"});
    CHECK(e.state().responder.early.writes.empty());
}

TEST_CASE("V-S10: SENDs, READs, atomics and immediates wait for their turn", "[verbs]") {
    End e(selective());
    e.receive(300);
    e.packet(packet_of_write(0, e));
    CHECK(e.packet(packet_of_write(3, e, Opcode::write_last_imm)) == Lines{});
    CHECK(e.packet(request(Opcode::send_only, {504}, 8)) == Lines{});
    CHECK(e.packet(reth(request(Opcode::read_request, {504}), e, 8)) == Lines{});
    CHECK(e.packet(reth(request(Opcode::fetch_add, {504}), e, 8)) == Lines{});
    CHECK(e.state().responder.early.came.empty());
    CHECK(e.answers() == Lines{"nak 501 sequence"});
}

TEST_CASE("V-S10: the bitmap has `window` places", "[verbs]") {
    EndSettings s = selective();
    s.config.window = 3;
    End e(s);
    e.packet(reth(request(Opcode::write_first, {500}, 256), e, 2000));
    CHECK(e.packet(request(Opcode::write_middle, {504}, 256)) == Lines{});
    CHECK(e.packet(request(Opcode::write_middle, {503}, 256)) == Lines{"place 503 41728+256"});
}

TEST_CASE("V-S10: what is wrong is not placed, and refused in its turn", "[verbs]") {
    const auto check = [](const Header& wrong, const std::string& refusal) {
        End e(selective());
        Header h = wrong;
        if (h.key == 0) h.key = e.key;
        e.packet(packet_of_write(0, e));
        CHECK(e.packet(h) == Lines{});
        e.answers();
        for (std::uint32_t at = 1; at < 4; ++at) {
            if (h.psn != Psn{500 + at}) e.packet(packet_of_write(at, e));
        }
        e.packet(packet_of_write(1, e));
        e.answers();
        e.packet(h);
        CHECK(e.answers().back() == refusal);
    };
    check(request(Opcode::write_middle, {503}, 256), "nak 503 invalid");
    check(request(Opcode::write_last, {503}, 231), "nak 503 invalid");
    Header other = request(Opcode::write_only, {504}, 8);
    other.address = 60000;
    other.length = 9;
    check(other, "nak 504 invalid");
    other.length = 8;
    other.key = 12345;
    check(other, "nak 504 access");
    End refused(selective());
    refused.packet(packet_of_write(0, refused));
    CHECK(refused.packet(reth(request(Opcode::write_first, {502}, 256), refused, 1000)) == Lines{});
    refused.rc.regions().remove(refused.key);
    CHECK(refused.packet(packet_of_write(2, refused)) == Lines{});
}

TEST_CASE("V-S11: nothing is placed where something missing before it will be, or may be", "[verbs]") {
    End e(selective());
    e.packet(packet_of_write(0, e));
    e.packet(packet_of_write(2, e));  // 501 and 503 are missing
    const auto only = [&](std::uint64_t address) {
        return e.packet(reth(request(Opcode::write_only, {504}, 8), e, 8, address));
    };
    CHECK(only(41216 - 7) == Lines{});
    CHECK(only(41728 + 231) == Lines{});
    CHECK(only(41472) == Lines{"place 504 41472+8"});  // 502 has come
    End unknown(selective());
    CHECK(unknown.packet(reth(request(Opcode::write_only, {501}, 8), unknown, 8, 60000)) == Lines{});
    CHECK(unknown.answers() == Lines{"nak 500 sequence"});
}

TEST_CASE("V-S10, V-S11: behind a lost first packet all is placed that says where it goes, and that it is apart",
          "[verbs]") {
    End e(selective());
    const auto middle = [&](std::uint32_t at) {
        return placed_packet(Opcode::selective_write_middle, {500 + at}, 256, 1000 - at * 256, 40960 + at * 256, e);
    };
    const Header last = placed_packet(Opcode::selective_write_last, {503}, 232, 232, 41728, e);
    const Header only = placed_packet(Opcode::selective_write_only, {504}, 8, 8, 60000, e);
    Header not_apart = middle(2);
    not_apart.apart = false;
    CHECK(e.packet(not_apart) == Lines{});  // what is missing may go there
    CHECK(e.answers() == Lines{"nak 500 sequence"});
    CHECK(e.packet(middle(2)) == Lines{"place 502 41472+256"});
    CHECK(e.packet(last) == Lines{"place 503 41728+232"});
    CHECK(e.packet(only) == Lines{"place 504 60000+8"});
    CHECK(e.packet(placed_packet(Opcode::selective_write_only, {505}, 8, 8, 41472, e)) == Lines{"place 505 41472+8"});
    CHECK(e.answers() == Lines{"selective_nak 500 arrived 502", "selective_nak 500 arrived 503",
                               "selective_nak 500 arrived 504", "selective_nak 500 arrived 505"});
    CHECK(e.state().responder.early.writes.size() == 3);
    CHECK(e.packet(middle(1)) == Lines{"place 501 41216+256"});  // the message is known from here on
    CHECK(e.state().responder.early.writes.size() == 3);
    CHECK(e.packet(middle(1)) == Lines{});
    e.answers();
    CHECK(e.packet(placed_packet(Opcode::selective_write_first, {500}, 256, 1000, 40960, e)) ==
          Lines{"place 500 40960+256"});
    CHECK(e.answers() == Lines{"ack 505 msn 3"});
    CHECK(e.state().responder.early.writes.empty());
}

TEST_CASE("V-S10: messages that become known in any order are passed in theirs", "[verbs]") {
    End e(selective());
    const auto only = [&](Psn psn) {
        e.packet(placed_packet(Opcode::selective_write_only, psn, 8, 8, 60000 + 8 * psn.n, e));
    };
    for (const std::uint32_t psn : {503U, 501U, 502U, 505U}) only({psn});
    only({500});
    CHECK(e.state().responder.expected == Psn{504});
    CHECK(e.state().responder.msn == Psn{4});
    only({504});
    CHECK(e.state().responder.msn == Psn{6});
}

TEST_CASE("V-S11: a missing packet that is known keeps its place, whatever a later one says", "[verbs]") {
    End e(selective());
    e.packet(placed_packet(Opcode::selective_write_first, {500}, 256, 1000, 40960, e));
    CHECK(e.packet(placed_packet(Opcode::selective_write_only, {504}, 8, 8, 41216, e)) == Lines{});
    CHECK(e.packet(placed_packet(Opcode::selective_write_only, {504}, 8, 8, 40960, e)) == Lines{"place 504 40960+8"});
}

TEST_CASE("V-R12: packets of one WRITE that do not agree are refused", "[verbs]") {
    const auto begun = [](End& e) {
        e.packet(placed_packet(Opcode::selective_write_first, {500}, 256, 1000, 40960, e));
        e.answers();
    };
    for (const int wrong : {0, 1, 2}) {
        End e(selective());
        begun(e);
        Header h = placed_packet(Opcode::selective_write_middle, {501}, 256, 744, 41216, e);
        if (wrong == 0) h.address += 4;
        if (wrong == 1) h.length += 256;
        if (wrong == 2) h.key ^= 1;
        Header ahead = h;
        ahead.psn = {502};
        ahead.address += 256;
        ahead.length -= 256;
        CHECK(e.packet(ahead) == Lines{});
        e.packet(placed_packet(Opcode::selective_write_middle, {501}, 256, 744, 41216, e));
        e.answers();
        CHECK(e.packet(ahead) == Lines{"event qp_request_error"});
        CHECK(e.answers().back() == "nak 502 invalid");
    }
    // One that has come and is no part of what has begun.
    End e(selective());
    CHECK(e.packet(placed_packet(Opcode::selective_write_middle, {501}, 256, 600, 41216, e)).size() == 1);
    e.answers();
    e.packet(placed_packet(Opcode::selective_write_only, {500}, 8, 8, 60000, e));
    CHECK(e.answers() == Lines{"ack 500 msn 1", "nak 501 invalid"});
    CHECK(e.state().state == QpState::error);
}

TEST_CASE("V-R12: each packet of a WRITE says where it goes, and whether that is apart from all not acknowledged",
          "[verbs]") {
    End e(selective());
    e.post(wqe(Verb::write, 600, e));
    SendWqe other = wqe(Verb::write, 8, e);
    other.remote_address = 40960 + 599;
    e.post(other);
    other.remote_address = 40960 + 700;
    e.post(other);
    SendWqe imm = wqe(Verb::write_imm, 300, e);
    imm.remote_address = 80000;
    e.post(imm);
    CHECK(e.send() == Lines{"selective_first 100 +256 at 40960:600 apart",
                            "selective_middle 101 +256 at 41216:344 apart",
                            "selective_last 102 +88 at 41472:88 apart ask", "selective_only 103 +8 at 41559:8 ask",
                            "selective_only 104 +8 at 41660:8 apart ask", "selective_first 105 +256 at 80000:300 apart",
                            "write_last_imm 106 +44 imm 5 ask"});
    e.packet(answer({106}));
    other.remote_address = 40960;
    e.post(other);  // all before it is acknowledged
    CHECK(e.send() == Lines{"selective_only 107 +8 at 40960:8 apart ask"});
    // READs and atomics touch it, too.
    e.post(wqe(Verb::fetch_add, 8, e));
    e.post(other);
    CHECK(e.send().back() == "selective_only 109 +8 at 40960:8 ask");
}

TEST_CASE("V-S12: what is dropped ahead is told at once if nothing is placed, else when all that is placed is passed",
          "[verbs]") {
    End e(selective());
    e.receive(0);
    e.packet(packet_of_write(0, e));
    e.packet(packet_of_write(2, e));
    e.packet(packet_of_write(3, e, Opcode::write_last_imm));
    CHECK(e.answers() == Lines{"selective_nak 501 arrived 502"});
    e.packet(packet_of_write(1, e));
    CHECK(e.answers() == Lines{"ack 502 msn 0", "nak 503 sequence"});
    CHECK(e.packet(request(Opcode::send_only, {504}, 8)) == Lines{});
    CHECK(e.answers() == Lines{});  // one NAK a gap
    CHECK(e.packet(packet_of_write(3, e, Opcode::write_last_imm)).size() == 2);
    CHECK(e.answers() == Lines{"ack 503 msn 1"});
}

TEST_CASE("V-S12: ... and not while something that has come waits for what is missing before it", "[verbs]") {
    End e(selective());
    e.receive(8);
    const auto write = [&](Opcode opcode, Psn psn) {
        Header h = request(opcode, psn, 256);
        if (opcode == Opcode::write_first) h = reth(h, e, 1280);
        h.ack_request = false;
        e.packet(h);
    };
    write(Opcode::write_first, {500});
    write(Opcode::write_middle, {502});
    write(Opcode::write_last, {504});
    e.packet(request(Opcode::send_only, {505}, 8));
    CHECK(e.answers() == Lines{"selective_nak 501 arrived 502", "selective_nak 501 arrived 504"});
    write(Opcode::write_middle, {501});
    CHECK(e.answers() == Lines{"ack 502 msn 0"});
    write(Opcode::write_middle, {503});
    CHECK(e.answers() == Lines{"ack 504 msn 1", "nak 505 sequence"});
}

TEST_CASE("V-S12: a selective NAK leaves when its packet is posted", "[verbs]") {
    End e(selective());
    e.posts_at_once = false;
    e.packet(packet_of_write(0, e));
    e.packet(packet_of_write(2, e));
    e.posted();
    CHECK(e.answers() == Lines{});
    e.posted();
    CHECK(e.answers() == Lines{"selective_nak 501 arrived 502"});
}

TEST_CASE("V-S13: a part of a READ is answered beside what is still being answered", "[verbs]") {
    End e(selective());
    e.packet(reth(request(Opcode::read_request, {500}), e, 1000));
    CHECK(e.answers(2) == Lines{"read_first 500 +256", "read_middle 501 +256"});
    e.packet(reth(request(Opcode::read_request, {502}), e, 256, 41472));  // will be sent anyway
    e.packet(reth(request(Opcode::read_request, {500}), e, 256));
    CHECK(e.answers() == Lines{"read_middle 502 +256", "read_last 503 +232", "read_only 500 +256"});
    CHECK(e.state().responder.first_answers == 0);
}

TEST_CASE("V-R11: only what is missing is sent again, once, and what further selective NAKs tell of", "[verbs]") {
    End e(selective());
    e.post(wqe(Verb::write, 2000, e));
    e.send();
    e.packet(selective_nak({101}, {103}));
    CHECK(e.send() ==
          Lines{"selective_middle 101 +256 at 41216:1744 apart", "selective_middle 102 +256 at 41472:1488 apart"});
    e.packet(selective_nak({101}, {104}));
    e.packet(selective_nak({101}, {103}));  // a copy
    CHECK(e.send() == Lines{});
    e.packet(selective_nak({101}, {106}));
    CHECK(e.send() == Lines{"selective_middle 105 +256 at 42240:720 apart"});
    CHECK(e.state().requester.recovery.tries_left == 1);
    CHECK(e.rc.count(RcCount::retransmissions) == 3);
    CHECK(e.packet(answer({107})) == Lines{"cqe 0 success"});
}

TEST_CASE("V-R11: what comes after the repetition shows that this is lost, too", "[verbs]") {
    End e(selective());
    e.post(wqe(Verb::write, 1000, e));
    e.send(3);
    e.packet(selective_nak({100}, {101}));
    CHECK(e.send() ==
          Lines{"selective_first 100 +256 at 40960:1000 apart", "selective_last 103 +232 at 41728:232 apart ask"});
    e.packet(selective_nak({100}, {102}));
    CHECK(e.send() == Lines{});
    e.packet(selective_nak({100}, {103}));
    CHECK(e.send() == Lines{"selective_first 100 +256 at 40960:1000 apart"});
    CHECK(e.state().requester.recovery.tries_left == 0);
    e.packet(answer({100}));  // progress
    CHECK(e.state().requester.recovery.tries_left == 2);
}

TEST_CASE("V-R11: the timer and NAK sequence bring all that is not known to have come", "[verbs]") {
    for (const bool timer : {true, false}) {
        End e(selective());
        e.post(wqe(Verb::write, 1300, e));
        e.send();
        e.packet(selective_nak({101}, {103}));
        CHECK(e.send().size() == 2);
        if (timer) {
            e.expiry(kAckTime);
            CHECK(e.state().requester.recovery.tries_left == 0);
            CHECK(e.send() == Lines{"selective_middle 101 +256 at 41216:1044 apart",
                                    "selective_middle 102 +256 at 41472:788 apart",
                                    "selective_middle 104 +256 at 41984:276 apart",
                                    "selective_last 105 +20 at 42240:20 apart ask"});
        } else {
            e.packet(nak({101}, NakCode::psn_sequence));
            CHECK(e.state().requester.recovery.tries_left == 1);
            CHECK(e.send() == Lines{"selective_middle 104 +256 at 41984:276 apart",
                                    "selective_last 105 +20 at 42240:20 apart ask"});
        }
    }
}

TEST_CASE("V-R11: NAK sequence behind an atomic that was not answered brings what is missing, too", "[verbs]") {
    End e(selective());
    for (int i = 0; i < 4; ++i) e.post(wqe(Verb::fetch_add, 8, e));
    e.send();
    CHECK(e.packet(response(Opcode::atomic_ack, {101}, 0)) == Lines{});  // the answer to 100 is lost, and request 102
    CHECK(e.send() == Lines{"fetch_add 100 at 40960:0 ask", "fetch_add 101 at 40960:0 ask"});
    CHECK(e.packet(nak({102}, NakCode::psn_sequence)) == Lines{});
    CHECK(e.send() == Lines{"fetch_add 102 at 40960:0 ask", "fetch_add 103 at 40960:0 ask"});
    e.packet(nak({102}, NakCode::psn_sequence));  // a copy
    CHECK(e.send() == Lines{});
    CHECK(e.state().requester.recovery.tries_left == 1);
}

TEST_CASE("V-R11: ... and if it is the first to tell of the lost answer, all goes in one turn", "[verbs]") {
    EndSettings s = selective();
    s.attributes.retry_cnt = 1;
    End e(s);
    for (int i = 0; i < 3; ++i) e.post(wqe(Verb::read, 8, e));
    e.send();
    e.packet(nak({101}, NakCode::psn_sequence));
    CHECK(e.send().size() == 3);
    CHECK(e.state().requester.recovery.tries_left == 0);
    End refused(s);
    for (int i = 0; i < 3; ++i) refused.post(wqe(Verb::read, 8, refused));
    refused.send();
    refused.packet(nak({101}, NakCode::remote_access));  // nothing behind it will be answered
    CHECK(refused.send().size() == 1);
}

TEST_CASE("V-R11: the timer runs, though the packet that was to start it is not needed any more", "[verbs]") {
    End e(selective());
    e.post(wqe(Verb::write, 1000, e));
    e.send();
    e.packet(selective_nak({100}, {102}));
    e.now = kMicrosecond;
    e.packet(answer({102}));
    CHECK(e.send() == Lines{});
    CHECK(e.rc.next_deadline() == kMicrosecond + kAckTime);
}

TEST_CASE("V-R11: a try is used only when the oldest PSN is sent again", "[verbs]") {
    EndSettings s = selective();
    s.attributes.retry_cnt = 0;
    End e(s);
    e.post(wqe(Verb::write, 1000, e));
    e.send();
    CHECK(e.packet(selective_nak({101}, {102})) == Lines{"cqe 0 retry_exc"});
}

TEST_CASE("V-C9: READ responses that come ahead are placed, and only missing ones asked for again", "[verbs]") {
    End e(selective());
    e.post(wqe(Verb::read, 1300, e));
    e.post(wqe(Verb::write, 0, e));
    e.send();
    e.packet(response(Opcode::read_first, {100}, 256));
    CHECK(e.packet(response(Opcode::read_middle, {103}, 256)) == Lines{"place 103 8960+256"});
    CHECK(e.send() == Lines{"read_request 101 at 41216:512 ask"});
    CHECK(e.packet(response(Opcode::read_middle, {103}, 256)) == Lines{});  // a copy
    CHECK(e.packet(response(Opcode::read_last, {105}, 20)) == Lines{"place 105 9472+20"});
    CHECK(e.send() == Lines{"read_request 104 at 41984:256 ask"});
    CHECK(e.packet(response(Opcode::read_first, {101}, 256)) == Lines{"place 101 8448+256"});
    CHECK(e.packet(response(Opcode::read_last, {102}, 256)) == Lines{"place 102 8704+256"});
    CHECK(e.state().requester.queue.oldest() == Psn{104});
    CHECK(e.packet(response(Opcode::read_only, {104}, 256)) == Lines{"place 104 9216+256", "cqe 0 success 1300 B"});
    CHECK(e.send() == Lines{});
    CHECK(e.packet(answer({106})) == Lines{"cqe 1 success"});
}

TEST_CASE("V-C9: a response ahead is not placed where a missing one will be; wrong ones wait for their turn",
          "[verbs]") {
    End e(selective());
    e.post(wqe(Verb::read, 300, e));
    e.post(wqe(Verb::read, 300, e));  // to the same place
    e.send();
    CHECK(e.packet(response(Opcode::read_first, {102}, 256)) == Lines{});
    CHECK(e.packet(response(Opcode::read_last, {101}, 43)) == Lines{});
    CHECK(e.packet(response(Opcode::read_last, {101}, 44)) == Lines{"place 101 8448+44"});
    CHECK(e.packet(response(Opcode::read_last, {103}, 44)) == Lines{"place 103 8448+44"});
    CHECK(e.packet(response(Opcode::read_first, {100}, 256)) == Lines{"place 100 8192+256", "cqe 0 success 300 B"});
    CHECK(e.packet(response(Opcode::read_only, {102}, 256)) == Lines{"place 102 8192+256", "cqe 1 success 300 B"});
}

TEST_CASE("V-C9: answers to atomics that come ahead are placed, and only the missing one is asked for again",
          "[verbs]") {
    End e(selective());
    for (std::uint32_t i = 0; i < 4; ++i) {
        SendWqe w = wqe(i == 2 ? Verb::compare_swap : Verb::fetch_add, 8, e);
        w.sges = {{8192 + 8 * i, 8, e.key}};
        e.post(w);
    }
    e.send();
    CHECK(e.packet(response(Opcode::atomic_ack, {101}, 0)) == Lines{"place 101 8200+8"});
    CHECK(e.packet(response(Opcode::atomic_ack, {102}, 0)) == Lines{"place 102 8208+8"});
    CHECK(e.send() == Lines{"fetch_add 100 at 40960:0 ask"});
    CHECK(e.packet(response(Opcode::atomic_ack, {101}, 0)) == Lines{});  // a copy
    CHECK(e.rc.count(RcCount::ghosts) == 1);
    CHECK(e.packet(response(Opcode::atomic_ack, {103}, 0)) == Lines{"place 103 8216+8"});
    CHECK(e.send() == Lines{});
    CHECK(e.packet(response(Opcode::atomic_ack, {100}, 0)) == Lines{"place 100 8192+8", "cqe 0 success 8 B",
                                                                    "cqe 1 success 8 B", "cqe 2 success 8 B",
                                                                    "cqe 3 success 8 B"});
    CHECK(e.rc.count(RcCount::retransmissions) == 1);
    CHECK(e.state().requester.queue.answers_due() == 0);
}

TEST_CASE("V-C9: ... but not where a missing one will be; an answer of another kind waits for its turn", "[verbs]") {
    End e(selective());
    for (const std::uint32_t address : {8192U, 8196U, 8204U}) {
        SendWqe w = wqe(Verb::fetch_add, 8, e);
        w.sges = {{address, 8, e.key}};
        e.post(w);
    }
    e.send();
    CHECK(e.packet(response(Opcode::atomic_ack, {101}, 0)) == Lines{});
    CHECK(e.packet(response(Opcode::read_only, {102}, 8)) == Lines{});
    CHECK(e.send() ==
          Lines{"fetch_add 100 at 40960:0 ask", "fetch_add 101 at 40960:0 ask", "fetch_add 102 at 40960:0 ask"});
    CHECK(e.packet(response(Opcode::atomic_ack, {102}, 0)) == Lines{"place 102 8204+8"});
    CHECK(e.packet(response(Opcode::atomic_ack, {100}, 0)) == Lines{"place 100 8192+8", "cqe 0 success 8 B"});
    CHECK(e.packet(response(Opcode::atomic_ack, {101}, 0)) ==
          Lines{"place 101 8196+8", "cqe 1 success 8 B", "cqe 2 success 8 B"});
    End wrong(selective());
    for (const Verb verb : {Verb::fetch_add, Verb::read}) {
        SendWqe w = wqe(verb, 8, wrong);
        if (verb == Verb::read) w.sges = {{8200, 8, wrong.key}};
        wrong.post(w);
    }
    wrong.send();
    CHECK(wrong.packet(response(Opcode::atomic_ack, {101}, 0)) == Lines{});
    CHECK(wrong.packet(response(Opcode::atomic_ack, {100}, 0)) == Lines{"place 100 8192+8", "cqe 0 success 8 B"});
    CHECK(wrong.packet(response(Opcode::atomic_ack, {101}, 0)) == Lines{"cqe 1 bad_resp"});
}

TEST_CASE("V-C9, V-P5: answers to FLUSHes and ATOMIC WRITEs that come ahead are passed, too", "[verbs]") {
    End e(selective());
    e.post(wqe(Verb::fetch_add, 8, e));
    for (const Verb verb : {Verb::atomic_write, Verb::flush}) e.post(wqe(verb, verb == Verb::flush ? 0 : 8, e));
    e.send();
    CHECK(e.packet(response(Opcode::read_only, {101}, 0)) == Lines{});
    CHECK(e.packet(response(Opcode::read_only, {102}, 0)) == Lines{});
    CHECK(e.send() == Lines{"fetch_add 100 at 40960:0 ask"});
    CHECK(e.packet(response(Opcode::atomic_ack, {100}, 0)) ==
          Lines{"place 100 8192+8", "cqe 0 success 8 B", "cqe 1 success", "cqe 2 success"});
}

TEST_CASE("V-C10: a selective NAK acknowledges what is before the expected PSN, not what has come", "[verbs]") {
    End e(selective());
    e.post(wqe(Verb::send, 0, e));
    e.post(wqe(Verb::write, 300, e));
    e.post(wqe(Verb::write, 0, e));
    e.send();
    CHECK(e.packet(selective_nak({102}, {103})) == Lines{"cqe 0 success"});
    CHECK(e.packet(answer({103})) == Lines{"cqe 1 success", "cqe 2 success"});
}

TEST_CASE("V-C10: what has come behind a READ is acknowledged when that is answered", "[verbs]") {
    End e(selective());
    e.post(wqe(Verb::read, 8, e));
    e.post(wqe(Verb::write, 8, e));
    e.post(wqe(Verb::write, 8, e));
    e.send();
    CHECK(e.packet(selective_nak({100}, {101})) == Lines{});
    CHECK(e.packet(response(Opcode::read_only, {100}, 8)) ==
          Lines{"place 100 8192+8", "cqe 0 success 8 B", "cqe 1 success"});
    CHECK(e.state().requester.queue.oldest() == Psn{102});
}

TEST_CASE("V-C10: what it says of PSNs that are not outstanding is ignored", "[verbs]") {
    for (const Psn arrived : {Psn{99}, Psn{100}, Psn{101}, Psn{104}}) {
        End e(selective());
        e.post(wqe(Verb::write, 1000, e));
        e.send();
        e.packet(selective_nak({101}, arrived));
        CHECK(e.state().requester.queue.came().empty());
        CHECK(e.send().size() == 3);  // as NAK sequence
    }
}

TEST_CASE("V-C10: what has been executed behind a READ is not sent again with it", "[verbs]") {
    End e(selective());
    e.post(wqe(Verb::read, 300, e));
    e.post(wqe(Verb::write, 300, e));
    e.post(wqe(Verb::fetch_add, 8, e));
    e.post(wqe(Verb::send, 0, e));
    e.send();
    CHECK(e.packet(answer({105})) == Lines{});
    CHECK(e.send() == Lines{"read_request 100 at 40960:300 ask", "fetch_add 104 at 40960:0 ask"});
    e.packet(response(Opcode::read_first, {100}, 256));
    CHECK(e.packet(response(Opcode::read_last, {101}, 44)) ==
          Lines{"place 101 8448+44", "cqe 0 success 300 B", "cqe 1 success"});
    CHECK(e.packet(response(Opcode::atomic_ack, {104}, 0)) ==
          Lines{"place 104 8192+8", "cqe 2 success 8 B", "cqe 3 success"});
}

TEST_CASE("V-C10: without selective repeat it is a NAK sequence", "[verbs]") {
    End e;
    e.post(wqe(Verb::write, 1000, e));
    e.send();
    e.packet(selective_nak({101}, {103}));
    CHECK(e.send().size() == 3);
}

}  // namespace rnicsim::rc
