// SPDX-License-Identifier: Apache-2.0
// V-S1 to V-S9: what requests do, and what is answered.
#include "testbench/tests/verbs/verbs_end.h"

namespace rnicsim::rc {

using roce::Header;
using roce::Opcode;

TEST_CASE("V-S1: the expected packet is executed and expected next", "[verbs]") {
    End e;
    CHECK(e.packet(reth(request(Opcode::write_first, {500}, 256), e, 300)) == Lines{"place 500 40960+256"});
    CHECK(e.packet(request(Opcode::write_last, {501}, 44)) == Lines{"place 501 41216+44"});
    CHECK(e.answers() == Lines{"ack 501 msn 1"});
}

TEST_CASE("V-S1: a gap is answered by one NAK until the expected packet comes", "[verbs]") {
    End e;
    const auto write = [&](Psn psn) { return e.packet(reth(request(Opcode::write_only, psn, 8), e, 8)); };
    CHECK(write({501}) == Lines{});
    CHECK(e.answers() == Lines{"nak 500 sequence"});
    CHECK(write({502}) == Lines{});
    CHECK(write({501}) == Lines{});
    CHECK(e.answers() == Lines{});
    CHECK(e.rc.count(RcCount::out_of_sequence) == 3);
    CHECK(write({500}) == Lines{"place 500 40960+8"});
    CHECK(write({502}) == Lines{});
    CHECK(e.answers() == Lines{"ack 500 msn 1", "nak 501 sequence"});
}

TEST_CASE("V-S1: ahead and behind are 24-bit differences", "[verbs]") {
    EndSettings s;
    s.attributes.rq_psn = {0xFF'FFFE};
    End e(s);
    const auto write = [&](Psn psn) { return e.packet(reth(request(Opcode::write_only, psn, 8), e, 8)).size(); };
    CHECK(write({1}) == 0);
    CHECK(e.answers() == Lines{"nak 16777214 sequence"});
    CHECK(write({0xFF'FFFE}) == 1);
    CHECK(write({0xFF'FFFF}) == 1);
    CHECK(write({0}) == 1);
    CHECK(e.answers() == Lines{"ack 0 msn 3"});
    CHECK(write({0xFF'FFFF}) == 0);
    CHECK(e.rc.count(RcCount::duplicates) == 1);
    CHECK(e.answers() == Lines{"ack 0 msn 3"});
    CHECK(write({0x7F'FFFF}) == 0);  // 2^23 - 2 ahead of 1
    CHECK(e.answers() == Lines{"nak 1 sequence"});
    CHECK(write({0x80'0001}) == 0);  // 2^23 behind
    CHECK(e.answers() == Lines{"ack 0 msn 3"});
}

TEST_CASE("V-S1: with go_back_0 a gap gives up all of the message under way, which comes anew", "[verbs]") {
    EndSettings s;
    s.config.retransmission = &retransmission("go_back_0");
    End e(s);
    e.receive(1000);
    const auto part = [&](Opcode opcode, std::uint32_t at, std::uint32_t bytes) {
        Header h = request(opcode, {500 + at}, bytes);
        h.ack_request = true;
        return e.packet(h);
    };
    part(Opcode::send_first, 0, 256);
    part(Opcode::send_middle, 1, 256);
    CHECK(part(Opcode::send_last, 3, 232) == Lines{});  // 502 is lost
    CHECK(e.state().responder.expected == Psn{500});
    // What was acknowledged of it is not told any more.
    CHECK(e.answers() == Lines{"ack 499 msn 0", "nak 500 sequence"});
    CHECK(part(Opcode::send_middle, 2, 256) == Lines{});
    CHECK(e.answers() == Lines{});  // one NAK, until the first packet comes
    CHECK(part(Opcode::send_first, 0, 256) == Lines{"place 500 65536+256"});
    part(Opcode::send_middle, 1, 256);
    part(Opcode::send_middle, 2, 256);
    // The requester's timer has begun it anew.
    CHECK(part(Opcode::send_first, 0, 256) == Lines{"place 500 65536+256"});
    CHECK(e.state().responder.expected == Psn{501});
    part(Opcode::send_middle, 1, 256);
    part(Opcode::send_middle, 2, 256);
    CHECK(part(Opcode::send_last, 3, 232).size() == 2);  // its place, and one completion
    CHECK(e.state().responder.msn == Psn{1});
    // It has come as a whole: a repetition is a duplicate.
    e.answers();
    CHECK(part(Opcode::send_first, 0, 256) == Lines{});
    CHECK(e.answers() == Lines{"ack 503 msn 1"});
}

TEST_CASE("V-S2: a duplicate SEND or WRITE is not executed, and acknowledged", "[verbs]") {
    End e;
    e.receive(300);
    e.receive(300);
    CHECK(e.packet(request(Opcode::send_only, {500}, 8)) == Lines{"place 500 65536+8", "receive 0 success 8 B"});
    CHECK(e.packet(reth(request(Opcode::write_only, {501}, 8), e, 8)) == Lines{"place 501 40960+8"});
    e.answers();
    CHECK(e.packet(request(Opcode::send_only, {500}, 8)) == Lines{});
    CHECK(e.answers() == Lines{"ack 501 msn 2"});
    CHECK(e.packet(reth(request(Opcode::write_only, {501}, 8), e, 8)) == Lines{});
    CHECK(e.answers() == Lines{"ack 501 msn 2"});
    CHECK(e.rc.receive_queue(e.rq).ready() == 1);
}

TEST_CASE("V-S2: a duplicate READ, or what is missing of it, is read anew", "[verbs]") {
    End e;
    e.packet(reth(request(Opcode::read_request, {500}), e, 600));
    CHECK(e.answers() == Lines{"read_first 500 +256", "read_middle 501 +256", "read_last 502 +88"});
    e.packet(reth(request(Opcode::read_request, {500}), e, 600));
    CHECK(e.answers() == Lines{"read_first 500 +256", "read_middle 501 +256", "read_last 502 +88"});
    e.packet(reth(request(Opcode::read_request, {501}), e, 344, 41216));
    const auto first = e.rc.next_packet({}, Lane::answer, e);
    CHECK(text(first->header) == "read_first 501 +256");
    CHECK(first->from == Segments{{41216, 256}});
    CHECK(e.answers() == Lines{"read_last 502 +88"});
}

TEST_CASE("V-S2: a duplicate READ while the first is being answered begins the answer again", "[verbs]") {
    End e;
    e.packet(reth(request(Opcode::read_request, {500}), e, 600));
    e.packet(reth(request(Opcode::read_request, {500}), e, 600));  // not begun: one answer does
    CHECK(e.answers(2) == Lines{"read_first 500 +256", "read_middle 501 +256"});
    e.packet(reth(request(Opcode::read_request, {501}), e, 344, 41216));
    CHECK(e.answers() == Lines{"read_first 501 +256", "read_last 502 +88"});
    CHECK(e.state().responder.first_answers == 0);
}

TEST_CASE("V-S2: a READ that is asked for again before its answer has begun is still not answered", "[verbs]") {
    EndSettings s;
    s.attributes.max_dest_rd_atomic = 1;
    End e(s);
    e.packet(reth(request(Opcode::read_request, {500}), e, 8));
    e.packet(reth(request(Opcode::read_request, {500}), e, 8));
    e.packet(reth(request(Opcode::read_request, {501}), e, 8));  // one too many
    CHECK(e.answers() == Lines{"read_only 500 +8", "nak 501 invalid"});
}

TEST_CASE("V-S2: the answer to a duplicate goes before those to later PSNs that are pending", "[verbs]") {
    End e;
    const auto read = [&](Psn psn) { e.packet(reth(request(Opcode::read_request, psn), e, 600)); };
    e.packet(reth(request(Opcode::fetch_add, {500}), e, 0));
    e.rc.on_atomic_done({}, e.qp, {500}, 42);
    for (const Psn psn : {Psn{501}, Psn{504}, Psn{507}}) read(psn);
    CHECK(e.answers(5).back() == "read_first 504 +256");
    // Something before 504 has been lost, and all is asked for again.
    e.packet(reth(request(Opcode::fetch_add, {500}), e, 0));
    for (const Psn psn : {Psn{501}, Psn{504}, Psn{507}}) read(psn);
    CHECK(e.answers() == Lines{"atomic_ack 500 was 42", "read_first 501 +256", "read_middle 502 +256",
                               "read_last 503 +88", "read_first 504 +256", "read_middle 505 +256", "read_last 506 +88",
                               "read_first 507 +256", "read_middle 508 +256", "read_last 509 +88"});
    CHECK(e.state().responder.first_answers == 0);
}

TEST_CASE("V-S2: ... with their MSN, which never falls", "[verbs]") {
    End e;
    for (const Psn psn : {Psn{500}, Psn{501}, Psn{502}}) e.packet(reth(request(Opcode::read_request, psn), e, 8));
    CHECK(e.answers(1) == Lines{"read_only 500 +8"});
    e.packet(reth(request(Opcode::read_request, {500}), e, 8));
    for (const std::uint32_t msn : {2U, 2U, 3U}) {
        CHECK(e.rc.next_packet({}, Lane::answer, e)->header.aeth.msn == Psn{msn});
    }
}

TEST_CASE("V-S2: a duplicate READ outside of the remembered one, or with another key, is dropped", "[verbs]") {
    End e;
    e.packet(reth(request(Opcode::read_request, {500}), e, 600));
    e.answers();
    e.packet(reth(request(Opcode::read_request, {500}), e, 600, 40000));
    e.packet(reth(request(Opcode::read_request, {500}), e, 601));
    e.packet(reth(request(Opcode::read_request, {501}), e, 600));
    Header other = reth(request(Opcode::read_request, {500}), e, 600);
    other.key ^= 1U;
    e.packet(other);
    e.packet(reth(request(Opcode::read_request, {499}), e, 8));
    CHECK(e.answers() == Lines{});
    CHECK(e.state().state == QpState::rts);
}

TEST_CASE("V-S2: a duplicate atomic gets the remembered answer, and changes nothing again", "[verbs]") {
    End e;
    const auto add = [&](Psn psn) { return e.packet(reth(request(Opcode::fetch_add, psn), e, 0)); };
    CHECK(add({500}) == Lines{"add 40960"});
    CHECK(add({500}) == Lines{});
    CHECK(e.answers() == Lines{});  // not known yet
    e.rc.on_atomic_done({}, e.qp, {500}, 42);
    CHECK(e.answers() == Lines{"atomic_ack 500 was 42"});
    CHECK(add({500}) == Lines{});
    CHECK(e.answers() == Lines{"atomic_ack 500 was 42"});
}

TEST_CASE("V-S2: the last max_dest_rd_atomic are remembered", "[verbs]") {
    EndSettings s;
    s.attributes.max_dest_rd_atomic = 2;
    End e(s);
    for (std::uint32_t i = 0; i < 3; ++i) {
        e.packet(reth(request(Opcode::fetch_add, {500 + i}), e, 0));
        e.rc.on_atomic_done({}, e.qp, {500 + i}, i);
        e.answers();
    }
    for (std::uint32_t i = 0; i < 3; ++i) e.packet(reth(request(Opcode::fetch_add, {500 + i}), e, 0));
    CHECK(e.answers() == Lines{"atomic_ack 501 was 1", "atomic_ack 502 was 2"});
}

TEST_CASE("V-S2: of two remembered READs with a PSN, one from before a wrap, the newer counts", "[verbs]") {
    Memory memory(3);
    for (const std::uint64_t address : {1, 2}) {
        Remembered r;
        r.psn = {7};
        r.address = address;
        memory.remember(r);
    }
    CHECK(memory.find({7})->address == 2);
    CHECK(memory.find({8}) == nullptr);
}

TEST_CASE("V-S3: MSN counts messages at their last packet, a READ when it is accepted", "[verbs]") {
    End e;
    e.packet(reth(request(Opcode::write_first, {500}, 256), e, 300));
    CHECK(e.answers() == Lines{"ack 500 msn 0"});
    e.packet(request(Opcode::write_last, {501}, 44));
    CHECK(e.answers() == Lines{"ack 501 msn 1"});
    e.packet(reth(request(Opcode::read_request, {502}), e, 600));
    CHECK(e.rc.next_packet({}, Lane::answer, e)->header.aeth.msn == Psn{2});
    CHECK(e.rc.next_packet({}, Lane::answer, e)->header.aeth.msn == Psn{0});  // a middle one has none
}

TEST_CASE("V-S4: an ACK leaves after its packet's payload is posted", "[verbs]") {
    End e;
    e.posts_at_once = false;
    e.packet(reth(request(Opcode::write_only, {500}, 8), e, 8));
    e.packet(reth(request(Opcode::write_only, {501}, 8), e, 8));
    CHECK(e.answers() == Lines{});
    e.posted();
    CHECK(e.answers() == Lines{"ack 500 msn 1"});
    e.posted();
    CHECK(e.answers() == Lines{"ack 501 msn 2"});
}

TEST_CASE("V-S4: READ responses, atomics' answers and NAKs wait for what is written before them, too", "[verbs]") {
    End e;
    e.posts_at_once = false;
    Header silent = reth(request(Opcode::write_only, {500}, 8), e, 8);
    silent.ack_request = false;
    e.packet(silent);
    e.packet(reth(request(Opcode::read_request, {501}), e, 8));
    e.packet(request(Opcode::send_only, {503}));
    CHECK(e.answers() == Lines{});
    e.posted();
    CHECK(e.answers() == Lines{"read_only 501 +8", "nak 502 sequence"});
}

TEST_CASE("V-S4: only the newest ACK waits for the port; a NAK is neither merged nor overtaken", "[verbs]") {
    End e;
    for (std::uint32_t i = 0; i < 3; ++i) e.packet(reth(request(Opcode::write_only, {500 + i}, 8), e, 8));
    e.packet(reth(request(Opcode::write_only, {504}, 8), e, 8));  // a gap
    e.packet(reth(request(Opcode::write_only, {503}, 8), e, 8));
    e.packet(reth(request(Opcode::write_only, {504}, 8), e, 8));
    CHECK(e.answers() == Lines{"ack 502 msn 3", "nak 503 sequence", "ack 504 msn 5"});
}

TEST_CASE("V-S4: acknowledgement each: every ACK that was asked for is sent", "[verbs]") {
    EndSettings s;
    s.config.acknowledgement = &acknowledgement("each");
    End e(s);
    for (std::uint32_t i = 0; i < 3; ++i) e.packet(reth(request(Opcode::write_only, {500 + i}, 8), e, 8));
    CHECK(e.answers() == Lines{"ack 500 msn 1", "ack 501 msn 2", "ack 502 msn 3"});
    CHECK(acknowledgement_names().size() == 2);
    CHECK_THROWS_AS(acknowledgement("none"), std::invalid_argument);
}

TEST_CASE("V-S4: answers keep the order of their requests", "[verbs]") {
    End e;
    e.packet(reth(request(Opcode::fetch_add, {500}), e, 0));
    e.packet(reth(request(Opcode::write_only, {501}, 8), e, 8));
    e.packet(reth(request(Opcode::read_request, {502}), e, 300));
    e.packet(reth(request(Opcode::write_only, {504}, 8), e, 8));
    CHECK(e.answers() == Lines{});
    e.rc.on_atomic_done({}, e.qp, {500}, 1);
    CHECK(e.answers() ==
          Lines{"atomic_ack 500 was 1", "ack 501 msn 2", "read_first 502 +256", "read_last 503 +44", "ack 504 msn 4"});
}

TEST_CASE("V-S5: a SEND takes a receive WQE at its first packet, WRITE_IMM at its last", "[verbs]") {
    End e;
    e.receive({{65536, 100, e.key}, {70000, 400, e.key}});
    e.receive(0);
    CHECK(e.packet(request(Opcode::send_first, {500}, 256)) == Lines{"place 500 65536+100 70000+156"});
    CHECK(e.rc.receive_queue(e.rq).ready() == 1);
    CHECK(e.packet(request(Opcode::send_last, {501}, 10)) == Lines{"place 501 70156+10", "receive 0 success 266 B"});
    End f;
    f.receive(0);
    CHECK(f.packet(reth(request(Opcode::write_first, {500}, 256), f, 300)) == Lines{"place 500 40960+256"});
    CHECK(f.rc.receive_queue(f.rq).ready() == 0);  // not read yet
    Header last = request(Opcode::write_last_imm, {501}, 44);
    last.immediate = 6;
    CHECK(f.packet(last) == Lines{"place 501 41216+44", "receive 0 success 300 B imm 6"});
}

TEST_CASE("V-S5: without a receive WQE an RNR NAK, and nothing of that packet is done", "[verbs]") {
    End e;
    CHECK(e.packet(request(Opcode::send_first, {500}, 256)) == Lines{});
    CHECK(e.answers() == Lines{"rnr 500 12"});
    CHECK(e.packet(request(Opcode::send_last, {501}, 8)) == Lines{});  // behind it: nothing is answered
    CHECK(e.answers() == Lines{});
    e.receive(300);
    CHECK(e.packet(request(Opcode::send_first, {500}, 256)) == Lines{"place 500 65536+256"});
    CHECK(e.packet(request(Opcode::send_last, {501}, 8)) == Lines{"place 501 65792+8", "receive 0 success 264 B"});
    CHECK(e.packet(reth(request(Opcode::write_only_imm, {502}, 8), e, 8)) == Lines{});
    CHECK(e.answers() == Lines{"ack 501 msn 1", "rnr 502 12"});
}

TEST_CASE("V-S5: a packet waits while receive WQEs are being read", "[verbs]") {
    End e;
    e.serves = false;
    Header send = request(Opcode::send_only, {500}, 8);
    send.to = e.qp;
    CHECK(e.rc.on_packet({}, kFarCard, send, e) == Taken::later);
    CHECK(e.rc.on_packet({}, kFarCard, send, e) == Taken::later);
    CHECK(e.receive_fetches == 1);
    e.receive(8);
    e.serves = true;
    e.serve();
    CHECK(e.packet(send) == Lines{"place 500 65536+8", "receive 0 success 8 B"});
}

TEST_CASE("V-S5: that a read ahead has found nothing says nothing of what is there when a packet comes", "[verbs]") {
    End e;
    e.receive(8);
    CHECK(e.packet(request(Opcode::send_only, {500}, 8)) == Lines{"place 500 65536+8", "receive 0 success 8 B"});
    CHECK(e.receive_fetches == 0);  // the read ahead is over, too
    e.receive(8, 70000);
    CHECK(e.packet(request(Opcode::send_only, {501}, 8)) == Lines{"place 501 70000+8", "receive 1 success 8 B"});
}

TEST_CASE("V-S5: receive WQEs are read ahead: before the last one is taken", "[verbs]") {
    End e;
    for (int i = 0; i < 3; ++i) e.receive(8);
    Header send = request(Opcode::send_only, {500}, 8);
    send.to = e.qp;
    e.serves = false;
    CHECK(e.rc.on_packet({}, kFarCard, send, e) == Taken::later);
    e.serves = true;
    e.serve();
    e.serves = false;
    REQUIRE(e.rc.receive_queue(e.rq).ready() == 3);
    CHECK(e.rc.on_packet({}, kFarCard, send, e) == Taken::yes);
    CHECK(e.receive_fetches == 1);
}

TEST_CASE("V-S5: an SRQ serves several QPs", "[verbs]") {
    EndSettings s;
    s.shared = true;
    End e(s);
    const Qpn first = e.qp;
    e.qp = *e.rc.create_qp({}, e.state().init);
    e.connect();
    e.receive(8, 65536);
    e.receive(8, 70000);
    CHECK(e.packet(request(Opcode::send_only, {500}, 8)) == Lines{"place 500 65536+8", "receive 0 success 8 B"});
    e.qp = first;
    CHECK(e.packet(request(Opcode::send_only, {500}, 8)) == Lines{"place 500 70000+8", "receive 1 success 8 B"});
    CHECK(e.packet(request(Opcode::send_only, {501}, 8)) == Lines{});
    CHECK(e.answers().back() == "rnr 501 12");
}

TEST_CASE("V-S5: that a read for a QP in ERR or RESET has found nothing says nothing to the other QPs of an SRQ",
          "[verbs]") {
    for (const QpState to : {QpState::error, QpState::reset}) {
        EndSettings s;
        s.shared = true;
        End e(s);
        const Qpn first = e.qp;
        e.qp = *e.rc.create_qp({}, e.state().init);
        e.connect();
        roce::Header waits = request(Opcode::send_only, {500}, 8);
        waits.to = e.qp;
        CHECK(e.rc.on_packet({}, kFarCard, waits, e) == Taken::later);
        e.serve();  // there is none
        e.to(to);
        CHECK(e.rc.on_packet({}, kFarCard, waits, e) == Taken::yes);  // dropped
        e.receive(8);
        e.qp = first;
        CHECK(e.packet(request(Opcode::send_only, {500}, 8)) == Lines{"place 500 65536+8", "receive 0 success 8 B"});
    }
}

namespace {
EndSettings with_srq() {
    EndSettings s;
    s.shared = true;
    return s;
}
Lines arm(End& e, std::uint32_t limit) {
    e.rc.arm_limit(e.rq, limit, e);
    e.serve();
    return e.take();
}
const Lines kLimitReached{"event srq_limit_reached"};
}  // namespace

TEST_CASE("V-S14: fewer receive WQEs in an SRQ than its limit: one event, and the limit is off", "[verbs]") {
    End e(with_srq());
    for (int i = 0; i < 6; ++i) e.receive(8);
    CHECK(arm(e, 4) == Lines{});
    for (const std::uint32_t psn : {500U, 501U})  // five are left, then four, which is the limit
        CHECK(e.packet(request(Opcode::send_only, {psn}, 8)).size() == 2);
    CHECK(e.rc.receive_queue(e.rq).limit() == 4);
    CHECK(e.packet(request(Opcode::send_only, {502}, 8)) ==
          Lines{"place 502 65536+8", "receive 2 success 8 B", "event srq_limit_reached"});
    CHECK(e.rc.receive_queue(e.rq).limit() == 0);
    for (const std::uint32_t psn : {503U, 504U, 505U})
        CHECK(e.packet(request(Opcode::send_only, {psn}, 8)).size() == 2);
    CHECK(e.rc.count(RcCount::srq_limits_reached) == 1);
}

TEST_CASE("V-S14: what the card has not heard of counts: the record is read before the event", "[verbs]") {
    End e(with_srq());
    for (int i = 0; i < 3; ++i) e.receive(8);
    CHECK(arm(e, 3) == Lines{});
    e.receive(8);  // four, of which the card knows three
    CHECK(e.packet(request(Opcode::send_only, {500}, 8)).size() == 2);
    CHECK(e.packet(request(Opcode::send_only, {501}, 8)).back() == "event srq_limit_reached");
}

TEST_CASE("V-S14: one read of the record at once", "[verbs]") {
    End e(with_srq());
    for (int i = 0; i < 6; ++i) e.receive(8);
    CHECK(arm(e, 5) == Lines{});
    CHECK(e.packet(request(Opcode::send_only, {500}, 8)).size() == 2);
    e.serves = false;
    for (const std::uint32_t psn : {501U, 502U}) {
        Header send = request(Opcode::send_only, {psn}, 8);
        send.to = e.qp;
        CHECK(e.rc.on_packet({}, kFarCard, send, e) == Taken::yes);
    }
    CHECK(e.record_reads == 1);
    e.take();
    e.serves = true;
    e.serve();
    CHECK(e.take() == kLimitReached);
}

TEST_CASE("V-S14: a limit that is armed below it is reached at once", "[verbs]") {
    End e(with_srq());
    CHECK(arm(e, 1) == kLimitReached);  // nothing has ever been posted
    CHECK(arm(e, 1) == kLimitReached);
    for (int i = 0; i < 5; ++i) e.receive(8);
    CHECK(arm(e, 5) == Lines{});
    CHECK(arm(e, 6) == kLimitReached);
}

TEST_CASE("V-S14: 0 disarms", "[verbs]") {
    End e(with_srq());
    e.receive(8);
    CHECK(arm(e, 1) == Lines{});
    CHECK(arm(e, 0) == Lines{});
    CHECK(e.packet(request(Opcode::send_only, {500}, 8)) == Lines{"place 500 65536+8", "receive 0 success 8 B"});
    CHECK(e.rc.count(RcCount::srq_limits_reached) == 0);
}

TEST_CASE("V-S14: only an SRQ has a limit", "[verbs]") {
    End e;
    CHECK_FALSE(e.rc.counts(RcCount::srq_limits_reached));
    CHECK(arm(e, 1) == Lines{});
    e.rc.arm_limit(ReceiveQueueNumber{99}, 1, e);
    CHECK(e.record_reads == 0);
    CHECK_FALSE(e.rc.counts(RcCount::srq_limits_reached));
}

TEST_CASE("V-S6: the key is checked for the whole range at the first packet", "[verbs]") {
    End e;
    const std::uint64_t end = 4096 + (1U << 20U);
    e.packet(reth(request(Opcode::write_first, {500}, 256), e, 300, end - 299));
    CHECK(e.answers() == Lines{"nak 500 access"});
}

TEST_CASE("V-S6: ... and again at each packet", "[verbs]") {
    End e;
    const std::uint32_t key = *e.rc.regions().add(Pd{1}, {40960, 4096}, kAllAccess);
    Header first = reth(request(Opcode::write_first, {500}, 256), e, 600);
    first.key = key;
    CHECK(e.packet(first).size() == 1);
    CHECK(e.packet(request(Opcode::write_middle, {501}, 256)).size() == 1);
    e.rc.regions().remove(key);
    CHECK(e.packet(request(Opcode::write_last, {502}, 88)) == Lines{"event qp_access_error"});
    CHECK(e.answers() == Lines{"ack 501 msn 0", "nak 502 access"});
}

TEST_CASE("V-S6: a READ whose region goes away while it is answered ends with a NAK", "[verbs]") {
    End e;
    const std::uint32_t key = *e.rc.regions().add(Pd{1}, {40960, 4096}, kAllAccess);
    Header read = reth(request(Opcode::read_request, {500}), e, 600);
    read.key = key;
    e.packet(read);
    CHECK(e.answers(1) == Lines{"read_first 500 +256"});
    e.rc.regions().remove(key);
    CHECK(e.answers() == Lines{"event qp_access_error", "nak 501 access"});
    CHECK(e.state().state == QpState::error);
}

TEST_CASE("V-S6: a duplicate READ of memory that is gone has a NAK, and its QP goes on", "[verbs]") {
    End e;
    const std::uint32_t key = *e.rc.regions().add(Pd{1}, {40960, 4096}, kAllAccess);
    Header read = reth(request(Opcode::read_request, {500}), e, 300);
    read.key = key;
    e.packet(read);
    CHECK(e.answers() == Lines{"read_first 500 +256", "read_last 501 +44"});
    e.packet(read);
    CHECK(e.answers(1) == Lines{"read_first 500 +256"});
    e.rc.regions().remove(key);  // while it is answered again
    CHECK(e.answers() == Lines{"nak 501 access"});
    e.packet(read);  // and after that
    CHECK(e.answers() == Lines{"nak 500 access"});
    CHECK(e.state().state != QpState::error);
    e.packet(reth(request(Opcode::read_request, {502}), e, 8, 50000));
    CHECK(e.answers() == Lines{"read_only 502 +8"});
}

TEST_CASE("V-S7: requests execute in order, and READs are read in that order", "[verbs]") {
    End e;
    e.packet(reth(request(Opcode::read_request, {500}), e, 300, 40960));
    e.packet(reth(request(Opcode::read_request, {502}), e, 8, 50000));
    const auto first = e.rc.next_packet({}, Lane::answer, e);
    const auto second = e.rc.next_packet({}, Lane::answer, e);
    const auto third = e.rc.next_packet({}, Lane::answer, e);
    CHECK(first->from == Segments{{40960, 256}});
    CHECK(second->from == Segments{{41216, 44}});
    CHECK(third->from == Segments{{50000, 8}});
}

TEST_CASE("V-S7: ... a WRITE behind a READ is placed before that has been read, and answered behind it", "[verbs]") {
    End e;
    e.packet(reth(request(Opcode::read_request, {500}), e, 300, 40960));
    CHECK(e.packet(reth(request(Opcode::write_only, {502}, 8), e, 8, 40960)) == Lines{"place 502 40960+8"});
    e.packet(reth(request(Opcode::read_request, {503}), e, 8, 40960));
    CHECK(e.answers() == Lines{"read_first 500 +256", "read_last 501 +44", "ack 502 msn 2", "read_only 503 +8"});
}

TEST_CASE("V-S8: an atomic is 8 bytes, aligned, and answered with the old value", "[verbs]") {
    End e;
    Header swap = reth(request(Opcode::compare_swap, {500}), e, 0);
    swap.swap_or_add = 1;
    swap.compare = 2;
    CHECK(e.packet(swap) == Lines{"swap 40960"});
    e.rc.on_atomic_done({}, e.qp, {500}, 2);
    CHECK(e.answers() == Lines{"atomic_ack 500 was 2"});
    e.packet(reth(request(Opcode::fetch_add, {501}), e, 0, 40964));
    CHECK(e.answers() == Lines{"nak 501 invalid"});
}

TEST_CASE("V-S9: the receive CQE follows the payload, and says whether it was solicited", "[verbs]") {
    End e;
    e.receive(300);
    e.receive(300);
    Header send = request(Opcode::send_only_imm, {500}, 8);
    send.solicited = true;
    send.immediate = 3;
    CHECK(e.packet(send) == Lines{"place 500 65536+8", "receive 0 success 8 B imm 3 se"});
    CHECK(e.packet(request(Opcode::send_only, {501}, 0)) == Lines{"receive 1 success"});
}

TEST_CASE("V-S: SEND with invalidate ends the region at its last packet", "[verbs]") {
    End e;
    const std::uint32_t key = *e.rc.regions().add(Pd{1}, {0, 100}, kAllAccess);
    e.receive(600);
    Header last = request(Opcode::send_last_inv, {501}, 8);
    last.key = key;
    e.packet(request(Opcode::send_first, {500}, 256));
    CHECK(e.rc.regions().knows(key, Pd{1}));
    CHECK(e.packet(last) == Lines{"place 501 65792+8", "receive 0 success 264 B imm " + std::to_string(key)});
    CHECK_FALSE(e.rc.regions().knows(key, Pd{1}));
}

}  // namespace rnicsim::rc
