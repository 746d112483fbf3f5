// SPDX-License-Identifier: Apache-2.0
// V-U1 to V-U3, and what the other rules mean without answers: UC and UD.
#include "testbench/tests/verbs/verbs_end.h"
#include "tlm/roce/codec.h"

namespace rnicsim::rc {
namespace {

using roce::Header;
using roce::Opcode;

constexpr std::uint32_t kOurQueueKey = 0x1234;

EndSettings settings_of(Service service) {
    EndSettings s;
    s.service = service;
    s.config.port_mtu = kMtu;
    s.attributes.queue_key = kOurQueueKey;
    return s;
}

/// What the peer sends, by RC's opcode.
Header uc_packet(Opcode operation, Psn psn, std::uint32_t payload = 0) {
    Header h = request(roce::of_service(operation, Service::unreliable), psn, payload);
    h.ack_request = false;
    return h;
}
Header ud_packet(Psn psn, std::uint32_t payload, std::uint32_t queue_key = kOurQueueKey) {
    Header h = request(Opcode::ud_send_only, psn, payload);
    h.ack_request = false;
    h.queue_key = queue_key;
    h.from = kFar;
    return h;
}

SendWqe datagram(std::uint32_t bytes, const End& e, const Destination& to = {kFarCard, kFar, 99}) {
    SendWqe w = wqe(Verb::send, bytes, e);
    set_destination(w, to);
    return w;
}

}  // namespace

TEST_CASE("V-R1, V-C7: UC sends as RC does, asks for nothing, and a WQE ends when the MAC has its last packet",
          "[verbs]") {
    End e(settings_of(Service::unreliable));
    e.post(wqe(Verb::write, 600, e));
    SendWqe silent = wqe(Verb::send_imm, 0, e);
    silent.signaled = false;
    e.post(silent);
    e.post(wqe(Verb::write_imm, 300, e));
    CHECK(e.send() == Lines{"uc_write_first 100 +256 at 40960:600", "uc_write_middle 101 +256", "uc_write_last 102 +88",
                            "uc_send_only_imm 103 imm 5", "uc_write_first 104 +256 at 40960:300",
                            "uc_write_last_imm 105 +44 imm 5"});
    CHECK(e.taken(2) == Lines{});
    CHECK(e.taken() == Lines{"cqe 0 success"});
    CHECK(e.taken(2) == Lines{});
    CHECK(e.taken() == Lines{"cqe 2 success"});
    CHECK(e.state().requester.queue.empty());
    CHECK(e.rc.next_deadline() == kEndOfTime);  // no timer
}

TEST_CASE("V-R2: UC and UD have no window, and their WQEs are read in batches", "[verbs]") {
    for (const Service service : {Service::unreliable, Service::datagram}) {
        EndSettings s = settings_of(service);
        s.config.window = 1;
        End e(s);
        e.sends.assign(20, datagram(8, e));
        REQUIRE(e.rc.on_post({}, e.qp, 20, e));
        e.serve();
        CHECK(e.send().size() == 20);
        CHECK(e.taken(20).size() == 20);
    }
}

TEST_CASE("V-R2: who tells that a packet has left is asked for it: of UC and UD, not of RC", "[verbs]") {
    for (const Service service : {Service::reliable, Service::unreliable, Service::datagram}) {
        End e(settings_of(service));
        e.post(datagram(8, e));
        const auto packet = e.rc.next_packet({}, Lane::request, e);
        REQUIRE(packet);
        CHECK(packet->tells_sent == (service != Service::reliable));
    }
}

TEST_CASE("V-U1: a message that comes whole is executed, and nothing is answered", "[verbs]") {
    End e(settings_of(Service::unreliable));
    e.receive(600);
    CHECK(e.packet(uc_packet(Opcode::send_first, {500}, 256)) == Lines{"place 500 65536+256"});
    CHECK(e.packet(uc_packet(Opcode::send_middle, {501}, 256)) == Lines{"place 501 65792+256"});
    CHECK(e.packet(uc_packet(Opcode::send_last, {502}, 88)) == Lines{"place 502 66048+88", "receive 0 success 600 B"});
    CHECK(e.packet(reth(uc_packet(Opcode::write_first, {503}, 256), e, 300)) == Lines{"place 503 40960+256"});
    CHECK(e.packet(uc_packet(Opcode::write_last, {504}, 44)) == Lines{"place 504 41216+44"});
    CHECK(e.answers() == Lines{});
    CHECK(e.rc.count(RcCount::out_of_sequence) == 0);
    CHECK(e.rc.count(RcCount::dropped_messages) == 0);
}

TEST_CASE("V-U1: a gap ends the message; reception begins anew at the next first packet, whatever its PSN", "[verbs]") {
    End e(settings_of(Service::unreliable));
    e.receive(600);
    e.receive(600, 131072);
    e.packet(uc_packet(Opcode::send_first, {500}, 256));
    CHECK(e.packet(uc_packet(Opcode::send_middle, {502}, 256)) == Lines{});
    CHECK(e.rc.count(RcCount::out_of_sequence) == 1);
    CHECK(e.rc.count(RcCount::dropped_messages) == 1);
    CHECK(e.packet(uc_packet(Opcode::send_last, {503}, 8)) == Lines{});
    CHECK(e.rc.count(RcCount::dropped_messages) == 1);
    // The WQE that the lost one had taken serves again, from its start.
    CHECK(e.packet(uc_packet(Opcode::send_first, {90}, 256)) == Lines{"place 90 65536+256"});
    CHECK(e.packet(uc_packet(Opcode::send_last, {91}, 8)) == Lines{"place 91 65792+8", "receive 0 success 264 B"});
    CHECK(e.packet(uc_packet(Opcode::send_only, {92}, 8)) == Lines{"place 92 131072+8", "receive 1 success 8 B"});
    CHECK(e.answers() == Lines{});
}

TEST_CASE("V-U1: a first packet ends the message under way; what continues another kind of message, too", "[verbs]") {
    End e(settings_of(Service::unreliable));
    e.receive(600);
    e.packet(uc_packet(Opcode::send_first, {500}, 256));
    CHECK(e.packet(reth(uc_packet(Opcode::write_only, {501}, 8), e, 8)) == Lines{"place 501 40960+8"});
    CHECK(e.rc.count(RcCount::dropped_messages) == 1);
    CHECK(e.packet(uc_packet(Opcode::send_last, {502}, 8)) == Lines{});
    e.packet(reth(uc_packet(Opcode::write_first, {503}, 256), e, 300));
    CHECK(e.packet(uc_packet(Opcode::send_last, {504}, 44)) == Lines{});
    CHECK(e.packet(uc_packet(Opcode::write_last, {505}, 44)) == Lines{});
    CHECK(e.rc.count(RcCount::dropped_messages) == 2);
    CHECK(e.rc.count(RcCount::out_of_sequence) == 0);
    CHECK(e.packet(uc_packet(Opcode::send_only, {506}, 8)) == Lines{"place 506 65536+8", "receive 0 success 8 B"});
}

TEST_CASE("V-U1: a copy of a whole message is a message, too; one in the midst of a message ends it", "[verbs]") {
    End e(settings_of(Service::unreliable));
    e.receive(600);
    e.receive(600, 131072);
    CHECK(e.packet(uc_packet(Opcode::send_only, {500}, 8)) == Lines{"place 500 65536+8", "receive 0 success 8 B"});
    CHECK(e.packet(uc_packet(Opcode::send_only, {500}, 8)) == Lines{"place 500 131072+8", "receive 1 success 8 B"});
    e.packet(reth(uc_packet(Opcode::write_first, {501}, 256), e, 600));
    e.packet(uc_packet(Opcode::write_middle, {502}, 256));
    CHECK(e.packet(uc_packet(Opcode::write_middle, {502}, 256)) == Lines{});
    CHECK(e.packet(uc_packet(Opcode::write_last, {503}, 88)) == Lines{});
    CHECK(e.rc.count(RcCount::dropped_messages) == 1);
}

TEST_CASE("V-U1: PSNs go on from 2^24 - 1 to 0", "[verbs]") {
    EndSettings s = settings_of(Service::unreliable);
    s.attributes.rq_psn = {0xFF'FFFF};
    End e(s);
    e.receive(600);
    e.packet(uc_packet(Opcode::send_first, {0xFF'FFFF}, 256));
    CHECK(e.packet(uc_packet(Opcode::send_last, {0}, 8)) == Lines{"place 0 65792+8", "receive 0 success 264 B"});
    CHECK(e.rc.count(RcCount::out_of_sequence) == 0);
}

TEST_CASE("V-U1: packets that wait for receive WQEs are counted once", "[verbs]") {
    End e(settings_of(Service::unreliable));
    e.receive(300);
    e.packet(reth(uc_packet(Opcode::write_first, {500}, 256), e, 600));
    e.serves = false;
    Header late = uc_packet(Opcode::send_only, {510}, 8);
    late.to = e.qp;
    CHECK(e.rc.on_packet({}, kFarCard, late, e) == Taken::later);
    CHECK(e.state().responder.incoming == Incoming::write);
    e.serves = true;
    e.serve();
    CHECK(e.packet(late) == Lines{"place 510 65536+8", "receive 0 success 8 B"});
    CHECK(e.rc.count(RcCount::out_of_sequence) == 1);
    CHECK(e.rc.count(RcCount::dropped_messages) == 1);
}

TEST_CASE("V-S5, V-S9: of UC a SEND takes its receive WQE first, WRITE_IMM last, a plain WRITE none", "[verbs]") {
    End e(settings_of(Service::unreliable));
    CHECK(e.packet(reth(uc_packet(Opcode::write_first, {500}, 256), e, 300)) == Lines{"place 500 40960+256"});
    e.receive(8);
    Header last = uc_packet(Opcode::write_last_imm, {501}, 44);
    last.immediate = 7;
    last.solicited = true;
    CHECK(e.packet(last) == Lines{"place 501 41216+44", "receive 0 success 300 B imm 7 se"});
    // One that a SEND has taken and left is not ended by a WRITE.
    e.receive(600);
    e.packet(uc_packet(Opcode::send_first, {502}, 256));
    CHECK(e.packet(reth(uc_packet(Opcode::write_only, {503}, 8), e, 8)) == Lines{"place 503 40960+8"});
    CHECK(e.packet(reth(uc_packet(Opcode::write_only_imm, {504}, 8), e, 8)) ==
          Lines{"place 504 40960+8", "receive 1 success 8 B"});
}

TEST_CASE("V-U3: what cannot be executed is dropped and counted; the QP stays", "[verbs]") {
    End e(settings_of(Service::unreliable));
    const auto dropped = [&](const Header& first) {
        const auto before = e.rc.count(RcCount::dropped_messages);
        CHECK(e.packet(first) == Lines{});
        CHECK(e.answers() == Lines{});
        CHECK(e.state().state == QpState::rts);
        return e.rc.count(RcCount::dropped_messages) - before;
    };
    CHECK(dropped(uc_packet(Opcode::send_first, {500}, 256)) == 1);  // no receive WQE
    CHECK(dropped(uc_packet(Opcode::send_last, {501}, 8)) == 0);     // the rest of it
    e.receive(100);
    CHECK(dropped(uc_packet(Opcode::send_only, {502}, 101)) == 1);  // too short
    Header other_key = reth(uc_packet(Opcode::write_only, {503}, 8), e, 8);
    other_key.key ^= 1U;
    CHECK(dropped(other_key) == 1);
    CHECK(dropped(reth(uc_packet(Opcode::write_only, {504}, 8), e, 9)) == 1);   // RETH
    CHECK(dropped(reth(uc_packet(Opcode::write_first, {505}, 8), e, 9)) == 1);  // no full packet
    CHECK(dropped(uc_packet(Opcode::send_only, {506}, 257)) == 1);              // more than the PMTU
    CHECK(e.packet(uc_packet(Opcode::send_only, {507}, 100)) ==
          Lines{"place 507 65536+100", "receive 0 success 100 B"});
}

TEST_CASE("V-U3: without the right to write a WRITE is dropped; a region that goes ends the message", "[verbs]") {
    EndSettings s = settings_of(Service::unreliable);
    End e(s);
    e.packet(reth(uc_packet(Opcode::write_first, {500}, 256), e, 600));
    const std::uint32_t gone = e.key;
    e.rc.regions().remove(gone);
    CHECK(e.packet(uc_packet(Opcode::write_middle, {501}, 256)) == Lines{});  // V-S6
    CHECK(e.rc.count(RcCount::dropped_messages) == 1);
    s.attributes.access = {};
    End closed(s);
    CHECK(closed.packet(reth(uc_packet(Opcode::write_only, {500}, 8), closed, 8)) == Lines{});
    CHECK(closed.rc.count(RcCount::dropped_messages) == 1);
}

TEST_CASE("V-U3: packets of another service, and answers, are dropped and counted", "[verbs]") {
    End e(settings_of(Service::unreliable));
    End d(settings_of(Service::datagram));
    e.receive(300);
    d.receive(300);
    for (const Opcode opcode : {Opcode::send_only, Opcode::read_request, Opcode::fetch_add, Opcode::ack,
                                Opcode::send_only_inv, Opcode{0x2C}}) {
        CHECK(e.packet(request(opcode, {500})) == Lines{});
        CHECK(d.packet(request(opcode, {500})) == Lines{});
    }
    CHECK(e.packet(ud_packet({500}, 8)) == Lines{});
    CHECK(d.packet(uc_packet(Opcode::send_only, {500}, 8)) == Lines{});
    CHECK(e.rc.count(RcCount::wrong_service) == 7);
    CHECK(d.rc.count(RcCount::wrong_service) == 7);
    CHECK(e.answers() == Lines{});
    CHECK(e.state().state == QpState::rts);
    CHECK(e.packet(uc_packet(Opcode::send_only, {500}, 8), Peer{4}) == Lines{});
    CHECK(e.rc.count(RcCount::wrong_peer) == 1);
}

TEST_CASE("V-U2: a datagram goes where its WQE says, and has its Q_Key, or the QP's own", "[verbs]") {
    End e(settings_of(Service::datagram));
    e.post(datagram(200, e, {Peer{9}, Qpn{1234}, 55}));
    const auto first = e.rc.next_packet({}, Lane::request, e);
    REQUIRE(first);
    CHECK(first->peer == Peer{9});
    CHECK(text(first->header) == "ud_send_only 100 +200 to 1234 from " + std::to_string(e.qp.n) + " key 55");
    SendWqe own = datagram(256, e, {Peer{10}, Qpn{1235}, kOwnQueueKey | 3U});
    own.verb = Verb::send_imm;
    own.immediate_or_key = 5;
    e.post(own);
    CHECK(e.send() == Lines{"ud_send_only_imm 101 +256 imm 5 to 1235 from " + std::to_string(e.qp.n) + " key 4660"});
    CHECK(e.taken(2) == Lines{"cqe 0 success", "cqe 1 success"});
}

TEST_CASE("V-U2: a message is one packet: a longer one is not sent", "[verbs]") {
    End e(settings_of(Service::datagram));
    e.post(datagram(256, e));
    e.post(datagram(257, e));
    CHECK(e.send().size() == 1);
    CHECK(e.taken() == Lines{"cqe 0 success"});
    CHECK(e.send() == Lines{"cqe 1 loc_len"});
    CHECK(e.state().state == QpState::sqe);
}

TEST_CASE("V-U2: the receive buffer begins with 40 bytes of addresses; the CQE says from whom, and no PSN matters",
          "[verbs]") {
    End e(settings_of(Service::datagram));
    for (int i = 0; i < 4; ++i) e.receive(140);
    CHECK(e.packet(ud_packet({7}, 100)) == Lines{"place grh 7 65536+140", "receive 0 success 140 B grh from 77"});
    CHECK(e.packet(ud_packet({3}, 0), Peer{8}) == Lines{"place grh 3 65536+40", "receive 1 success 40 B grh from 77"});
    Header h = ud_packet({3}, 8);
    h.opcode = Opcode::ud_send_only_imm;
    h.immediate = 7;
    h.solicited = true;
    CHECK(e.packet(h) == Lines{"place grh 3 65536+48", "receive 2 success 48 B imm 7 grh from 77 se"});
    CHECK(e.packet(ud_packet({4}, 101)) == Lines{});  // V-U3: too short, and serves again
    CHECK(e.packet(ud_packet({5}, 8)) == Lines{"place grh 5 65536+48", "receive 3 success 48 B grh from 77"});
    CHECK(e.packet(ud_packet({6}, 8)) == Lines{});
    CHECK(e.rc.count(RcCount::dropped_messages) == 2);
    CHECK(e.rc.count(RcCount::out_of_sequence) == 0);
    CHECK(e.answers() == Lines{});
    CHECK(e.state().state == QpState::rts);
}

TEST_CASE("V-U2: a datagram with another Q_Key is dropped and counted, and takes no receive WQE", "[verbs]") {
    End e(settings_of(Service::datagram));
    e.receive(140);
    CHECK(e.packet(ud_packet({1}, 8, kOurQueueKey + 1)) == Lines{});
    CHECK(e.packet(ud_packet({1}, 8, kOurQueueKey | kOwnQueueKey)) == Lines{});
    CHECK(e.rc.count(RcCount::bad_queue_keys) == 2);
    CHECK(e.rc.count(RcCount::dropped_messages) == 0);
    CHECK(e.packet(ud_packet({2}, 8)) == Lines{"place grh 2 65536+48", "receive 0 success 48 B grh from 77"});
}

TEST_CASE("V-U2: a datagram longer than the port's MTU is dropped", "[verbs]") {
    End e(settings_of(Service::datagram));
    e.receive(600);
    CHECK(e.packet(ud_packet({1}, 257)) == Lines{});
    CHECK(e.rc.count(RcCount::dropped_messages) == 1);
}

TEST_CASE("Errors: what a service does not carry is not sent: LOC_QP_OP, and the QP goes to SQE", "[verbs]") {
    const auto check = [](Service service, Verb verb) {
        End e(settings_of(service));
        e.post(wqe(verb, 8, e));
        e.post(datagram(8, e));
        CHECK(e.send() == Lines{"cqe 0 loc_qp_op", "cqe 1 wr_flush"});
        CHECK(e.state().state == QpState::sqe);
    };
    for (const Verb verb : {Verb::read, Verb::compare_swap, Verb::fetch_add, Verb::send_inv}) {
        check(Service::unreliable, verb);
        check(Service::datagram, verb);
    }
    check(Service::datagram, Verb::write);
    check(Service::datagram, Verb::write_imm);
}

TEST_CASE("Errors: of UC and UD a send WQE fails in its turn; SQE receives on, and can be left", "[verbs]") {
    End e(settings_of(Service::unreliable));
    e.post(wqe(Verb::send, 8, e));
    SendWqe bad = wqe(Verb::send, 0, e);
    bad.sges.push({8192, 8, e.key ^ 1U});
    e.post(bad);
    CHECK(e.send() == Lines{"uc_send_only 100 +8"});
    CHECK(e.taken() == Lines{"cqe 0 success"});
    CHECK(e.send() == Lines{"cqe 1 loc_prot"});
    CHECK(e.post(wqe(Verb::send, 8, e)) == Lines{"cqe 2 wr_flush"});
    e.receive(300);
    CHECK(e.packet(uc_packet(Opcode::send_only, {500}, 8)) == Lines{"place 500 65536+8", "receive 0 success 8 B"});
    CHECK(e.to(QpState::rts) == Lines{});
    e.post(wqe(Verb::send, 8, e));
    CHECK(e.send() == Lines{"uc_send_only 101 +8"});
}

TEST_CASE("Errors: of UC and UD a receive WQE that is wrong itself ends with its reason, and the QP goes to ERR",
          "[verbs]") {
    for (const Service service : {Service::unreliable, Service::datagram}) {
        End e(settings_of(service));
        e.receive(ReceiveSges{{65536, 100, e.key ^ 1U}});
        e.receive(8);
        const Header h = service == Service::datagram ? ud_packet({500}, 8) : uc_packet(Opcode::send_only, {500}, 8);
        CHECK(e.packet(h) == Lines{"receive 0 loc_prot", "receive 1 wr_flush"});
        CHECK(e.state().state == QpState::error);
        CHECK(e.packet(h) == Lines{});
        CHECK(e.rc.count(RcCount::not_ready) == 1);
    }
}

TEST_CASE("V-Q1: UC and UD need and allow fewer attributes, and have SQE", "[verbs]") {
    using namespace attribute;
    using enum QpState;
    const QpAttributes v;
    const auto uc = [&](QpState from, QpState to, AttributeMask m) {
        return check_modify(Service::unreliable, from, to, m, v);
    };
    const auto ud = [&](QpState from, QpState to, AttributeMask m) {
        return check_modify(Service::datagram, from, to, m, v);
    };
    constexpr AttributeMask kUcRtr = kPeer | kPathMtu | kDestQpn | kRqPsn;
    using enum ModifyError;
    CHECK(uc(reset, init, kAccess) == ModifyError::none);
    CHECK(uc(reset, init, kQueueKey) == missing_attribute);
    CHECK(uc(init, rtr, kUcRtr) == ModifyError::none);
    CHECK(uc(init, rtr, kUcRtr | kAccess) == ModifyError::none);
    CHECK(uc(init, rtr, kForRtr) == excess_attribute);
    CHECK(uc(init, rtr, kPeer | kPathMtu | kDestQpn) == missing_attribute);
    CHECK(uc(rtr, rts, kSqPsn) == ModifyError::none);
    CHECK(uc(rtr, rts, kForRts) == excess_attribute);
    CHECK(uc(rts, rts, kMinRnrTimer) == excess_attribute);
    CHECK(uc(rts, sqd, kNone) == ModifyError::none);
    CHECK(uc(sqd, sqd, kPeer | kAccess) == ModifyError::none);
    CHECK(uc(sqd, sqd, kTimeout) == excess_attribute);
    CHECK(uc(sqe, rts, kAccess) == ModifyError::none);
    CHECK(ud(reset, init, kQueueKey) == ModifyError::none);
    CHECK(ud(reset, init, kAccess) == missing_attribute);
    CHECK(ud(init, rtr, kNone) == ModifyError::none);
    CHECK(ud(init, rtr, kPeer) == excess_attribute);
    CHECK(ud(rtr, rts, kSqPsn | kQueueKey) == ModifyError::none);
    CHECK(ud(rtr, rts, kNone) == missing_attribute);
    CHECK(ud(sqe, rts, kQueueKey) == ModifyError::none);
    CHECK(ud(sqe, init, kNone) == bad_transition);
    CHECK(check_modify(Service::reliable, sqe, rts, kNone, v) == bad_transition);
    CHECK(check_modify(Service::reliable, rts, rts, kQueueKey, v) == excess_attribute);
    CHECK(uc(sqe, reset, kNone) == ModifyError::none);
    CHECK(uc(sqe, error, kNone) == ModifyError::none);
    // A Q_Key that is modified is the one that counts.
    End e(settings_of(Service::datagram));
    e.receive(140);
    e.attributes.queue_key = 8;
    e.modify(rts, kQueueKey);
    CHECK(e.packet(ud_packet({1}, 8)) == Lines{});
    CHECK(e.packet(ud_packet({1}, 8, 8)).size() == 2);
}

TEST_CASE("V-Q2: ERR flushes UC, too; what leaves after that ends nothing", "[verbs]") {
    End e(settings_of(Service::unreliable));
    for (int i = 0; i < 3; ++i) e.post(wqe(Verb::send, 300, e));
    e.send(3);
    e.receive(300);
    e.packet(uc_packet(Opcode::send_first, {500}, 256));
    CHECK(e.to(QpState::error) == Lines{"cqe 0 wr_flush", "cqe 1 wr_flush", "cqe 2 wr_flush", "receive 0 wr_flush"});
    CHECK(e.taken(2) == Lines{});
    // The third packet is still on its way when the QP is connected again.
    e.to(QpState::reset);
    e.sends.clear();
    e.connect();
    e.post(wqe(Verb::send, 8, e));
    CHECK(e.send() == Lines{"uc_send_only 100 +8"});
    CHECK(e.taken() == Lines{});
    CHECK(e.taken() == Lines{"cqe 0 success"});
}

TEST_CASE("V-Q3: of UC and UD SQD is drained when the MAC has all that has begun", "[verbs]") {
    End e(settings_of(Service::unreliable));
    e.post(wqe(Verb::write, 300, e));
    e.post(wqe(Verb::write, 0, e));
    e.send(1);
    CHECK(e.to(QpState::sqd) == Lines{});
    CHECK(e.taken() == Lines{});
    CHECK(e.send() == Lines{"uc_write_last 101 +44"});
    CHECK(e.taken() == Lines{"cqe 0 success", "event sq_drained"});
    CHECK(e.send() == Lines{});
    CHECK(e.to(QpState::rts) == Lines{});
    CHECK(e.send().size() == 1);
}

TEST_CASE("V-D1: UC and UD send no CNPs, and hear none", "[verbs]") {
    for (const Service service : {Service::unreliable, Service::datagram}) {
        EndSettings s = settings_of(service);
        s.config.congestion = &congestion_control("dcqcn");
        End e(s);
        e.rc.on_marked({}, kFarCard, e.qp, e);
        CHECK(e.answers() == Lines{});
        CHECK(e.packet(roce::congestion_notification(e.qp)) == Lines{});
        CHECK(e.rc.count(RcCount::cnps_received) == 0);
    }
}

}  // namespace rnicsim::rc
