// SPDX-License-Identifier: Apache-2.0
// V-C1 to V-C8: what answers mean.
#include "testbench/tests/verbs/verbs_end.h"

namespace rnicsim::rc {

using roce::NakCode;
using roce::Opcode;

TEST_CASE("V-C1: a response outside of what is outstanding is dropped and counted", "[verbs]") {
    End e;
    e.post(wqe(Verb::send, 300, e));
    CHECK(e.packet(answer({100})) == Lines{});  // nothing sent yet
    e.send();
    CHECK(e.packet(answer({99})) == Lines{});
    CHECK(e.packet(answer({102})) == Lines{});
    CHECK(e.packet(nak({102}, NakCode::remote_access)) == Lines{});
    CHECK(e.packet(response(Opcode::read_only, {102}, 1)) == Lines{});
    CHECK(e.rc.count(RcCount::ghosts) == 5);
    CHECK(e.packet(answer({101})) == Lines{"cqe 0 success"});
    CHECK(e.packet(answer({101})) == Lines{});
    CHECK(e.rc.count(RcCount::ghosts) == 6);
}

TEST_CASE("V-C2: ACK(p) acknowledges all up to p", "[verbs]") {
    End e;
    e.post(wqe(Verb::send, 0, e));
    e.post(wqe(Verb::write, 300, e));
    e.post(wqe(Verb::send, 0, e));
    e.send();
    CHECK(e.packet(answer({101})) == Lines{"cqe 0 success"});
    CHECK(e.packet(answer({103})) == Lines{"cqe 1 success", "cqe 2 success"});
}

TEST_CASE("V-C2: ... but not a READ or atomic that was not answered: it is asked for again", "[verbs]") {
    for (const Verb verb : {Verb::read, Verb::compare_swap}) {
        End e;
        e.post(wqe(Verb::send, 0, e));
        e.post(wqe(verb, 8, e));
        e.post(wqe(Verb::write, 0, e));
        e.send();
        CHECK(e.packet(answer({102})) == Lines{"cqe 0 success"});
        CHECK(e.rc.count(RcCount::implied_naks) == 1);
        const Lines again = e.send();
        REQUIRE(again.size() == 2);
        CHECK(again[1] == "write_only 102 at 40960:0 ask");
        CHECK(e.packet(answer({102})) == Lines{});  // once, before there is progress
        CHECK(e.send() == Lines{});
    }
}

TEST_CASE("V-C3: READ and atomic responses acknowledge all before them", "[verbs]") {
    End e;
    e.post(wqe(Verb::send, 0, e));
    e.post(wqe(Verb::read, 8, e));
    e.post(wqe(Verb::write, 0, e));
    e.post(wqe(Verb::fetch_add, 8, e));
    e.send();
    CHECK(e.packet(response(Opcode::read_only, {101}, 8)) ==
          Lines{"cqe 0 success", "place 101 8192+8", "cqe 1 success 8 B"});
    CHECK(e.packet(response(Opcode::atomic_ack, {103}, 0)) ==
          Lines{"cqe 2 success", "place 103 8192+8", "cqe 3 success 8 B"});
}

TEST_CASE("V-C3: a gap in READ responses is a NAK: the rest is asked for again, once", "[verbs]") {
    End e;
    e.post(wqe(Verb::read, 1000, e));
    e.send();
    e.packet(response(Opcode::read_first, {100}, 256));
    CHECK(e.packet(response(Opcode::read_middle, {102}, 256)) == Lines{});
    CHECK(e.send() == Lines{"read_request 101 at 41216:744 ask"});
    CHECK(e.packet(response(Opcode::read_last, {103}, 232)) == Lines{});
    CHECK(e.send() == Lines{});
    CHECK(e.state().requester.recovery.tries_left == 1);
    CHECK(e.packet(response(Opcode::read_first, {101}, 256)) == Lines{"place 101 8448+256"});
    CHECK(e.state().requester.recovery.tries_left == 2);
}

TEST_CASE("V-C12: a second lost answer is found by later ones", "[verbs]") {
    for (const char* const policy : {"go_back_n", "go_back_0", "selective_repeat"}) {
        EndSettings s;
        s.config.retransmission = &retransmission(policy);
        End e(s);
        for (int i = 0; i < 3; ++i) e.post(wqe(Verb::fetch_add, 8, e));
        e.send();
        const auto comes = [&](std::uint32_t psn) { return e.packet(response(Opcode::atomic_ack, {psn}, 0)); };
        INFO(policy);
        CHECK(comes(101) == Lines{});  // the answer to 100 is lost
        CHECK(comes(102) == Lines{});
        CHECK(e.send().size() == 3);
        CHECK(e.state().requester.recovery.tries_left == 1);
        CHECK(comes(101) == Lines{});  // of the repetition; so that of 100 is lost again
        CHECK(e.state().requester.recovery.tries_left == 0);
        CHECK(e.send().at(0) == "fetch_add 100 at 40960:0 ask");
        CHECK(comes(100) == Lines{"place 100 8192+8", "cqe 0 success 8 B"});
        CHECK(e.state().requester.recovery.tries_left == 2);
        CHECK(comes(101) == Lines{"place 101 8192+8", "cqe 1 success 8 B"});
        CHECK(comes(102) == Lines{"place 102 8192+8", "cqe 2 success 8 B"});
    }
}

TEST_CASE("V-C12: the same of a READ; an ACK tells nothing, as each duplicate brings it", "[verbs]") {
    End e;
    e.post(wqe(Verb::read, 300, e));
    e.post(wqe(Verb::read, 8, e));
    e.post(wqe(Verb::write, 8, e));
    e.send();
    e.packet(response(Opcode::read_only, {102}, 8));
    e.packet(answer({103}));
    CHECK(e.send().size() == 3);
    for (int i = 0; i < 3; ++i) CHECK(e.packet(answer({103})) == Lines{});
    CHECK(e.state().requester.recovery.tries_left == 1);
    CHECK(e.send() == Lines{});
    e.packet(response(Opcode::read_only, {102}, 8));  // of the repeated READs the first one's answer has not come
    CHECK(e.state().requester.recovery.tries_left == 0);
    CHECK(e.send().size() == 3);
}

TEST_CASE("V-C12: an answer lost behind a NAK sequence is found by later ones", "[verbs]") {
    for (const char* const policy : {"go_back_n", "go_back_0", "selective_repeat"}) {
        EndSettings s;
        s.config.retransmission = &retransmission(policy);
        s.attributes.retry_cnt = 4;
        End e(s);
        for (int i = 0; i < 4; ++i) e.post(wqe(Verb::fetch_add, 8, e));
        e.send();
        const auto comes = [&](std::uint32_t psn) { return e.packet(response(Opcode::atomic_ack, {psn}, 0)); };
        INFO(policy);
        e.packet(nak({100}, NakCode::psn_sequence));
        CHECK(e.send().size() == 4);
        CHECK(e.state().requester.recovery.tries_left == 3);
        CHECK(comes(101) == Lines{});  // nothing had been executed: the answer to 100 is lost
        CHECK(e.state().requester.recovery.tries_left == 2);
        CHECK(e.send().at(0) == "fetch_add 100 at 40960:0 ask");
        CHECK(comes(102) == Lines{});  // of the same repetition as 101
        CHECK(comes(103) == Lines{});
        CHECK(e.state().requester.recovery.tries_left == 2);
        e.send();
        CHECK(comes(100).size() == 2);
        CHECK(comes(101).size() == 2);
        CHECK(e.state().requester.recovery.tries_left == 4);
        CHECK_FALSE(e.state().requester.recovery.not_executed);
    }
}

TEST_CASE("V-C12: ... also when the NAK sequence comes behind an answer that is asked for again", "[verbs]") {
    EndSettings s;
    s.config.retransmission = &retransmission("selective_repeat");
    s.attributes.retry_cnt = 4;
    End e(s);
    for (int i = 0; i < 4; ++i) e.post(wqe(Verb::fetch_add, 8, e));
    e.send();
    const auto comes = [&](std::uint32_t psn) { return e.packet(response(Opcode::atomic_ack, {psn}, 0)); };
    comes(101);  // the answer to 100 is lost, and request 102
    CHECK(e.send().size() == 2);
    e.packet(nak({102}, NakCode::psn_sequence));
    CHECK(e.send().size() == 2);
    CHECK(comes(100).size() == 2);
    CHECK(e.state().requester.recovery.tries_left == 4);
    comes(102);  // the answer to 101 is lost
    CHECK(e.state().requester.recovery.tries_left == 3);
    CHECK(e.send().at(0) == "fetch_add 101 at 40960:0 ask");
    e.packet(nak({102}, NakCode::psn_sequence));  // a copy
    comes(103);
    CHECK(e.state().requester.recovery.tries_left == 3);
}

TEST_CASE("V-C12: ... but an answer to what the NAK sequence acknowledges may be an old one", "[verbs]") {
    for (const char* const policy : {"go_back_n", "selective_repeat"}) {
        EndSettings s;
        s.config.retransmission = &retransmission(policy);
        End e(s);
        for (int i = 0; i < 3; ++i) e.post(wqe(Verb::fetch_add, 8, e));
        e.send();
        INFO(policy);
        e.packet(nak({102}, NakCode::psn_sequence));
        CHECK(e.send().size() == 3);
        CHECK(e.state().requester.recovery.tries_left == 1);
        e.packet(response(Opcode::atomic_ack, {101}, 0));
        CHECK(e.state().requester.recovery.tries_left == 1);
        e.packet(response(Opcode::atomic_ack, {102}, 0));
        CHECK(e.state().requester.recovery.tries_left == 0);
    }
}

TEST_CASE("V-C12: what a NAK sequence said is over when all that was sent again is acknowledged", "[verbs]") {
    End e;
    e.post(wqe(Verb::read, 8, e));
    e.send();
    e.packet(nak({100}, NakCode::psn_sequence));
    e.send();
    CHECK(e.state().requester.recovery.not_executed);
    e.packet(response(Opcode::read_only, {100}, 8));
    CHECK_FALSE(e.state().requester.recovery.not_executed);
}

TEST_CASE("V-C4: NAK sequence(p) acknowledges those before p and resends from p, one try less", "[verbs]") {
    End e;
    e.post(wqe(Verb::send, 0, e));
    e.post(wqe(Verb::send, 1000, e));
    e.send();
    CHECK(e.packet(nak({102}, NakCode::psn_sequence)) == Lines{"cqe 0 success"});
    CHECK(e.state().requester.recovery.tries_left == 1);
    CHECK(e.send() == Lines{"send_middle 102 +256", "send_middle 103 +256", "send_last 104 +232 ask"});
    // The same one again, before progress, does nothing.
    CHECK(e.packet(nak({102}, NakCode::psn_sequence)) == Lines{});
    CHECK(e.send() == Lines{});
    e.packet(nak({103}, NakCode::psn_sequence));
    CHECK(e.send() == Lines{"send_middle 103 +256", "send_last 104 +232 ask"});
}

TEST_CASE("V-C4: a NAK for what is about to be sent again costs no try", "[verbs]") {
    EndSettings s;
    s.attributes.retry_cnt = 1;
    End e(s);
    e.post(wqe(Verb::send, 600, e));
    e.send();
    e.expiry(kAckTime);
    CHECK(e.packet(nak({100}, NakCode::psn_sequence)) == Lines{});
    CHECK(e.send().size() == 3);
    CHECK(e.state().state == QpState::rts);
}

TEST_CASE("V-C4: what a later ACK covers is not sent again", "[verbs]") {
    End e;
    e.post(wqe(Verb::send, 1000, e));
    e.send();
    e.expiry(kAckTime);
    e.send(1);
    e.packet(answer({102}));
    CHECK(e.send() == Lines{"send_last 103 +232 ask"});
}

TEST_CASE("V-C5: RNR NAK(t, p) acknowledges those before p, waits, and resends from p", "[verbs]") {
    End e;
    e.post(wqe(Verb::send, 0, e));
    e.post(wqe(Verb::send, 300, e));
    e.send();
    CHECK(e.packet(rnr({101}, 2)) == Lines{"cqe 0 success"});
    CHECK(e.state().requester.recovery.rnr_tries_left == 0);
    CHECK(e.packet(rnr({101}, 2)) == Lines{});  // a copy
    CHECK(e.state().state == QpState::rts);
    CHECK(e.expiry(kMicrosecond * 20) == Lines{});
    CHECK(e.send() == Lines{"send_first 101 +256", "send_last 102 +44 ask"});
}

TEST_CASE("V-C5: a NAK of what was sent behind the refused packet costs no try and ends no wait", "[verbs]") {
    End e;
    e.post(wqe(Verb::send, 300, e));
    e.send();
    e.packet(rnr({100}, 1));
    CHECK(e.packet(nak({100}, NakCode::psn_sequence)) == Lines{});
    CHECK(e.state().requester.recovery.tries_left == 2);
    CHECK(e.send() == Lines{});
    e.expiry(kMicrosecond * 10);
    e.send(1);
    CHECK(e.packet(nak({100}, NakCode::psn_sequence)) == Lines{});  // late
    CHECK(e.state().requester.recovery.tries_left == 2);
    CHECK(e.send() == Lines{"send_last 101 +44 ask"});
}

TEST_CASE("V-R8: a timeout of 14 is 67 ms, of 0 for ever", "[verbs]") {
    CHECK(ack_time(14) == kMicrosecond * 67'109 - kNanosecond * 136);
    CHECK(ack_time(0) == kEndOfTime);
}

TEST_CASE("V-C6: another NAK(p) acknowledges those before p, fails the WQE of p, and the QP goes to ERR", "[verbs]") {
    End e;
    e.post(wqe(Verb::send, 0, e));
    e.post(wqe(Verb::write, 600, e));
    e.post(wqe(Verb::send, 0, e));
    e.send();
    CHECK(e.packet(nak({102}, NakCode::remote_access)) == Lines{"cqe 0 success", "cqe 1 rem_access", "cqe 2 wr_flush"});
    CHECK(e.state().state == QpState::error);
    CHECK(e.send() == Lines{});
}

TEST_CASE("V-C6: behind a READ that was not answered the NAK waits: the READ is asked for again", "[verbs]") {
    End e;
    e.post(wqe(Verb::read, 8, e));
    e.post(wqe(Verb::write, 8, e));
    e.send();
    CHECK(e.packet(nak({101}, NakCode::remote_access)) == Lines{});
    CHECK(e.send().size() == 2);
}

TEST_CASE("V-C7: CQEs in WQE order; an unsignaled success has none, an error has one", "[verbs]") {
    End e;
    SendWqe silent = wqe(Verb::send, 0, e);
    silent.signaled = false;
    e.post(silent);
    e.post(wqe(Verb::send, 0, e));
    e.post(silent);
    e.post(silent);
    e.send();
    CHECK(e.packet(answer({102})) == Lines{"cqe 1 success"});
    CHECK(e.packet(nak({103}, NakCode::remote_operational)) == Lines{"cqe 3 rem_op"});
}

TEST_CASE("V-C8: a READ's CQE follows its payload", "[verbs]") {
    End e;
    e.post(wqe(Verb::read, 300, e));
    e.send();
    CHECK(e.packet(response(Opcode::read_first, {100}, 256)) == Lines{"place 100 8192+256"});
    CHECK(e.packet(response(Opcode::read_last, {101}, 44)) == Lines{"place 101 8448+44", "cqe 0 success 300 B"});
}

}  // namespace rnicsim::rc
