// SPDX-License-Identifier: Apache-2.0
// V-R1 to V-R10: what is sent, when, and when again.
#include "testbench/tests/verbs/verbs_end.h"

namespace rnicsim::rc {

using roce::AckKind;
using roce::NakCode;
using roce::Opcode;

TEST_CASE("V-R1: a message takes ceil(length / PMTU) PSNs, at least one", "[verbs]") {
    End e;
    e.post(wqe(Verb::write, 600, e));
    CHECK(e.send() == Lines{"write_first 100 +256 at 40960:600", "write_middle 101 +256", "write_last 102 +88 ask"});
    e.post(wqe(Verb::send, 0, e));
    CHECK(e.send() == Lines{"send_only 103 ask"});
    e.post(wqe(Verb::send_imm, 512, e));
    CHECK(e.send() == Lines{"send_first 104 +256", "send_last_imm 105 +256 imm 5 ask"});
    e.post(wqe(Verb::write_imm, 0, e));
    CHECK(e.send() == Lines{"write_only_imm 106 at 40960:0 imm 5 ask"});
}

TEST_CASE("V-R1: a READ request takes the PSNs of its responses", "[verbs]") {
    End e;
    e.post(wqe(Verb::read, 600, e));
    e.post(wqe(Verb::fetch_add, 8, e));
    e.post(wqe(Verb::read, 0, e));
    e.post(wqe(Verb::write, 1, e));
    CHECK(e.send() == Lines{"read_request 100 at 40960:600 ask", "fetch_add 103 at 40960:0 ask",
                            "read_request 104 at 40960:0 ask", "write_only 105 +1 at 40960:1 ask"});
}

TEST_CASE("V-R1: PSNs go on from 2^24 - 1 to 0", "[verbs]") {
    EndSettings s;
    s.attributes.sq_psn = {0xFF'FFFE};
    End e(s);
    e.post(wqe(Verb::send, 1000, e));
    CHECK(e.send() ==
          Lines{"send_first 16777214 +256", "send_middle 16777215 +256", "send_middle 0 +256", "send_last 1 +232 ask"});
    CHECK(e.packet(answer({0})) == Lines{});
    CHECK(e.packet(answer({1})) == Lines{"cqe 0 success"});
}

TEST_CASE("V-R1: the payload is gathered from the SGEs, or lies in the WQE", "[verbs]") {
    End e;
    SendWqe w = wqe(Verb::write, 0, e);
    w.sges = {{8192, 100, e.key}, {9000, 0, 0}, {12288, 300, e.key}};
    e.post(w);
    const auto first = e.rc.next_packet({}, Lane::request, e);
    CHECK(first->from == Segments{{8192, 100}, {12288, 156}});
    const auto second = e.rc.next_packet({}, Lane::request, e);
    CHECK(second->from == Segments{{12288 + 156, 144}});
    CHECK(second->offset == 256);

    SendWqe in_wqe = wqe(Verb::send, 0, e);
    in_wqe.inline_data = true;
    in_wqe.inline_length = 60;
    e.post(in_wqe);
    const auto third = e.rc.next_packet({}, Lane::request, e);
    CHECK(third->from_wqe);
    CHECK(third->from.empty());
    CHECK(third->wqe == 1);
    CHECK(third->header.payload == 60);
}

TEST_CASE("V-S9: the last packet of a message says that it is solicited", "[verbs]") {
    End e;
    SendWqe solicited = wqe(Verb::send, 300, e);
    solicited.solicited = true;
    e.post(solicited);
    CHECK(e.send() == Lines{"send_first 100 +256", "send_last 101 +44 se ask"});
}

TEST_CASE("V-R2: QPs take turns by packet, each in PSN order", "[verbs]") {
    End e;
    const Qpn first = e.qp;
    QpInit init = e.state().init;
    init.receive_queue = e.rc.create_receive_queue(false);
    const Qpn second = *e.rc.create_qp({}, init);
    e.qp = second;
    e.attributes.sq_psn = {900};
    e.connect();
    for (const Qpn qp : {first, second}) {
        e.qp = qp;
        e.sends = {wqe(Verb::write, 600, e)};
        REQUIRE(e.rc.on_post({}, qp, 1, e));
        e.serve();
    }
    CHECK(e.send() == Lines{"write_first 100 +256 at 40960:600", "write_first 900 +256 at 40960:600",
                            "write_middle 101 +256", "write_middle 901 +256", "write_last 102 +88 ask",
                            "write_last 902 +88 ask"});
}

TEST_CASE("V-R2: WQEs are read in batches and start in order; one that comes with its doorbell is not read",
          "[verbs]") {
    End e;
    e.serves = false;
    e.sends.assign(20, wqe(Verb::send, 0, e));
    REQUIRE(e.rc.on_post({}, e.qp, 20, e));
    REQUIRE(e.fetches.size() == 1);
    CHECK(e.fetches[0].count == 8);
    CHECK(e.send() == Lines{});
    e.serves = true;
    e.serve();
    CHECK(e.send().size() == 20);
    CHECK(e.rc.on_push({}, e.qp, wqe(Verb::write, 3, e), e));
    CHECK(e.fetches.empty());
    CHECK(e.send() == Lines{"write_only 120 +3 at 40960:3 ask"});
}

TEST_CASE("V-R3: AckReq on a message's last packet, each ack_interval-th, and the last that may leave", "[verbs]") {
    EndSettings s;
    s.config.ack_interval = 3;
    s.config.window = 5;
    End e(s);
    e.post(wqe(Verb::send, 1792, e));
    CHECK(e.send() == Lines{"send_first 100 +256", "send_middle 101 +256", "send_middle 102 +256 ask",
                            "send_middle 103 +256", "send_middle 104 +256 ask"});
    e.packet(answer({104}));
    CHECK(e.send() == Lines{"send_middle 105 +256", "send_last 106 +256 ask"});
}

TEST_CASE("V-R3: the last of what is sent again asks, if nothing can follow it", "[verbs]") {
    End e;
    const std::uint32_t first = *e.rc.regions().add(Pd{1}, {8192, 256}, kLocalRead);
    const std::uint32_t second = *e.rc.regions().add(Pd{1}, {12288, 256}, kLocalRead);
    SendWqe w = wqe(Verb::write, 0, e);
    w.sges = {{8192, 256, first}, {12288, 44, second}};
    e.post(w);
    CHECK(e.send(1) == Lines{"write_first 100 +256 at 40960:300"});
    e.rc.regions().remove(second);
    CHECK(e.send() == Lines{});
    e.expiry(kAckTime);
    CHECK(e.send() == Lines{"write_first 100 +256 at 40960:300 ask"});
    e.packet(answer({100}));
    CHECK(e.send() == Lines{"cqe 0 loc_prot"});
}

TEST_CASE("V-R4: at most `window` PSNs are outstanding", "[verbs]") {
    EndSettings s;
    s.config.window = 3;
    End e(s);
    e.post(wqe(Verb::send, 2560, e));
    CHECK(e.send().size() == 3);
    e.packet(answer({100}));
    CHECK(e.send() == Lines{"send_middle 103 +256 ask"});
    e.packet(answer({103}));
    CHECK(e.send().size() == 3);
}

TEST_CASE("V-R4: a READ begins inside the window, and may be longer than what is left of it", "[verbs]") {
    EndSettings s;
    s.config.window = 3;
    End e(s);
    e.post(wqe(Verb::send, 300, e));
    e.post(wqe(Verb::read, 2560, e));
    e.post(wqe(Verb::send, 0, e));
    CHECK(e.send() == Lines{"send_first 100 +256", "send_last 101 +44 ask", "read_request 102 at 40960:2560 ask"});
    for (std::uint32_t i = 0; i < 7; ++i) {
        e.packet(response(i == 0 ? Opcode::read_first : Opcode::read_middle, {102 + i}, 256));
        CHECK(e.send() == Lines{});
    }
    e.packet(response(Opcode::read_middle, {109}, 256));
    CHECK(e.send() == Lines{"send_only 112 ask"});
}

TEST_CASE("V-R4: all that is outstanding lies in one half of the PSNs, or the READ waits", "[verbs]") {
    End e;
    const std::uint32_t key = *e.rc.regions().add(Pd{1}, {0, kMaxMessage}, kAllAccess);
    SendWqe longest = wqe(Verb::read, 0, e);
    longest.sges = {{0, kMaxMessage, key}};  // 2^23 packets
    e.post(wqe(Verb::write, 8, e));
    e.post(longest);
    CHECK(e.send() == Lines{"write_only 100 +8 at 40960:8 ask"});
    e.packet(answer({100}));
    CHECK(e.send() == Lines{"read_request 101 at 40960:2147483648 ask"});
}

TEST_CASE("V-R5: beyond MSN + credits a SEND sends one packet, then waits", "[verbs]") {
    End e;
    e.post(wqe(Verb::send, 0, e));
    e.send();
    roce::Header a = answer({100}, AckKind::ack, 0);  // no credits
    a.aeth.msn = {1};
    e.packet(a);
    e.post(wqe(Verb::send, 600, e));
    e.post(wqe(Verb::send, 0, e));
    CHECK(e.send() == Lines{"send_first 101 +256 ask"});
    // The first packet is taken, so a receive WQE was there: the rest may follow, but not the next message.
    a.psn = {101};
    e.packet(a);
    CHECK(e.send() == Lines{"send_middle 102 +256", "send_last 103 +88 ask"});
    // MSN 2 and two credits: up to the fourth message.
    a = answer({103}, AckKind::ack, 2);
    a.aeth.msn = {2};
    CHECK(e.packet(a) == Lines{"cqe 1 success"});
    CHECK(e.send() == Lines{"send_only 104 ask"});
    e.post(wqe(Verb::send, 300, e));
    e.post(wqe(Verb::send, 300, e));
    CHECK(e.send() == Lines{"send_first 105 +256", "send_last 106 +44 ask", "send_first 107 +256 ask"});
}

TEST_CASE("V-R5: credits do not hold back WRITEs, and 31 means that they are not counted", "[verbs]") {
    End e;
    e.post(wqe(Verb::send, 0, e));
    e.send();
    e.packet(answer({100}, AckKind::ack, 0));  // MSN 0: even this one was beyond
    e.post(wqe(Verb::write, 300, e));
    CHECK(e.send().size() == 2);
    e.post(wqe(Verb::send, 300, e));
    CHECK(e.send() == Lines{});
    e.packet(answer({102}));
    CHECK(e.send().size() == 2);
}

TEST_CASE("V-R6: at most max_rd_atomic READs and atomics are outstanding, and what is behind waits", "[verbs]") {
    EndSettings s;
    s.attributes.max_rd_atomic = 2;
    End e(s);
    e.post(wqe(Verb::read, 8, e));
    e.post(wqe(Verb::fetch_add, 8, e));
    e.post(wqe(Verb::read, 8, e));
    e.post(wqe(Verb::write, 8, e));
    CHECK(e.send() == Lines{"read_request 100 at 40960:8 ask", "fetch_add 101 at 40960:0 ask"});
    CHECK(e.packet(response(Opcode::read_only, {100}, 8)) == Lines{"place 100 8192+8", "cqe 0 success 8 B"});
    CHECK(e.send() == Lines{"read_request 102 at 40960:8 ask", "write_only 103 +8 at 40960:8 ask"});
}

TEST_CASE("V-R7: a fenced WQE waits for all READs and atomics before it", "[verbs]") {
    End e;
    e.post(wqe(Verb::read, 8, e));
    SendWqe fenced = wqe(Verb::write, 8, e);
    fenced.fence = true;
    e.post(fenced);
    CHECK(e.send() == Lines{"read_request 100 at 40960:8 ask"});
    CHECK(e.send() == Lines{});
    e.packet(response(Opcode::read_only, {100}, 8));
    CHECK(e.send() == Lines{"write_only 101 +8 at 40960:8 ask"});
    e.post(fenced);  // not for WRITEs
    CHECK(e.send() == Lines{"write_only 102 +8 at 40960:8 ask"});
}

TEST_CASE("V-R7: ... until the last response of each, in whatever order they were posted", "[verbs]") {
    for (const bool atomic_first : {false, true}) {
        End e;
        if (atomic_first) e.post(wqe(Verb::fetch_add, 8, e));
        e.post(wqe(Verb::read, 600, e));
        if (!atomic_first) e.post(wqe(Verb::fetch_add, 8, e));
        SendWqe fenced = wqe(Verb::send, 8, e);
        fenced.fence = true;
        e.post(fenced);
        CHECK(e.send().size() == 2);
        const std::uint32_t read = atomic_first ? 101 : 100;
        const auto answer_atomic = [&] { e.packet(response(Opcode::atomic_ack, {atomic_first ? 100U : 103U}, 0)); };
        if (atomic_first) answer_atomic();
        for (const auto& [opcode, number, bytes] : {std::tuple{Opcode::read_first, read, 256U},
                                                    {Opcode::read_middle, read + 1, 256U},
                                                    {Opcode::read_last, read + 2, 88U}}) {
            CHECK(e.send() == Lines{});
            e.packet(response(opcode, {number}, bytes));
        }
        if (!atomic_first) {
            CHECK(e.send() == Lines{});
            answer_atomic();
        }
        CHECK(e.send() == Lines{"send_only 104 +8 ask"});
    }
}

TEST_CASE("V-R8: the timer runs while anything is unacknowledged and restarts on progress and retransmission",
          "[verbs]") {
    End e;
    CHECK(e.rc.next_deadline() == kEndOfTime);
    e.post(wqe(Verb::send, 600, e));
    CHECK(e.rc.next_deadline() == kEndOfTime);
    e.send(1);
    CHECK(e.rc.next_deadline() == kAckTime);
    e.now = kMicrosecond;
    e.send();
    CHECK(e.rc.next_deadline() == kAckTime);  // not restarted by a further packet
    e.now = kMicrosecond * 2;
    e.packet(answer({100}));
    CHECK(e.expiry(kMicrosecond * 2 + kAckTime) == Lines{});
    CHECK(e.rc.next_deadline() == kEndOfTime);  // nothing is on the way
    e.now = kMicrosecond * 20;
    CHECK(e.send() == Lines{"send_middle 101 +256", "send_last 102 +88 ask"});
    CHECK(e.rc.next_deadline() == kMicrosecond * 20 + kAckTime);
    CHECK(e.packet(answer({102})) == Lines{"cqe 0 success"});
    CHECK(e.rc.next_deadline() == kEndOfTime);
}

TEST_CASE("V-R8, V-R9: the timer does not run while the oldest packet is about to be sent again", "[verbs]") {
    EndSettings s;
    for (const char* const policy : {"go_back_n", "go_back_0"}) {
        s.config.retransmission = &retransmission(policy);
        End e(s);
        e.post(wqe(Verb::write, 1000, e));
        e.send();
        e.expiry(kAckTime);
        e.send(1);
        e.packet(answer({101}));  // 102 has not left again; whatever keeps it, that is no try that has failed
        CHECK(e.rc.next_deadline() == kEndOfTime);
        e.now = kMicrosecond * 20;
        e.send(1);
        CHECK(e.rc.next_deadline() == e.now + kAckTime);
        CHECK(e.state().requester.recovery.tries_left == 2);
    }
}

TEST_CASE("V-R8: timeout 0 is off", "[verbs]") {
    EndSettings s;
    s.attributes.timeout = 0;
    End e(s);
    e.post(wqe(Verb::send, 600, e));
    e.send();
    CHECK(e.rc.next_deadline() == kEndOfTime);
}

TEST_CASE("V-R8: of a READ only what is missing is asked for again", "[verbs]") {
    End e;
    e.post(wqe(Verb::read, 700, e));
    e.send();
    CHECK(e.packet(response(Opcode::read_first, {100}, 256)) == Lines{"place 100 8192+256"});
    e.expiry(kAckTime);
    CHECK(e.send() == Lines{"read_request 101 at 41216:444 ask"});
    CHECK(e.packet(response(Opcode::read_first, {101}, 256)) == Lines{"place 101 8448+256"});
    CHECK(e.packet(response(Opcode::read_last, {102}, 188)) == Lines{"place 102 8704+188", "cqe 0 success 700 B"});
}

TEST_CASE("V-R8: retransmission go_back_0 begins again with the message's first packet", "[verbs]") {
    EndSettings s;
    s.config.retransmission = &retransmission("go_back_0");
    End e(s);
    e.post(wqe(Verb::send, 0, e));
    e.post(wqe(Verb::send, 600, e));
    e.post(wqe(Verb::send, 0, e));
    e.send();
    CHECK(e.packet(nak({102}, roce::NakCode::psn_sequence)) == Lines{"cqe 0 success"});
    CHECK(e.send(2) == Lines{"send_first 101 +256", "send_middle 102 +256"});
    e.packet(answer({102}));
    CHECK(e.send() == Lines{"send_last 103 +88 ask", "send_only 104 ask"});
    // An ACK of the whole message ends its repetition.
    e.expiry(kAckTime);
    e.send(1);
    CHECK(e.packet(answer({103})) == Lines{"cqe 1 success"});
    CHECK(e.send() == Lines{"send_only 104 ask"});
    CHECK(retransmission_names().size() == 3);
    CHECK_THROWS_AS(retransmission("none"), std::invalid_argument);
}

TEST_CASE("V-R8, V-C4: with go_back_0 nothing of a message that begins anew is acknowledged any more", "[verbs]") {
    EndSettings s;
    s.config.retransmission = &retransmission("go_back_0");
    End e(s);
    e.post(wqe(Verb::write, 1000, e));
    e.post(wqe(Verb::write, 0, e));
    e.send();
    e.packet(answer({101}));
    CHECK(e.packet(nak({100}, roce::NakCode::psn_sequence)) == Lines{});  // the responder has given up what it had
    CHECK(e.rc.count(RcCount::ghosts) == 0);
    CHECK(e.state().requester.queue.oldest() == Psn{100});
    CHECK(e.send(3) == Lines{"write_first 100 +256 at 40960:1000", "write_middle 101 +256", "write_middle 102 +256"});
    e.packet(nak({100}, roce::NakCode::psn_sequence));  // lost again, before any of it was acknowledged
    CHECK(e.send() == Lines{"write_first 100 +256 at 40960:1000", "write_middle 101 +256", "write_middle 102 +256",
                            "write_last 103 +232 ask", "write_only 104 at 40960:0 ask"});
    e.packet(answer({102}));
    CHECK(e.state().requester.recovery.tries_left == 2);  // progress
    CHECK(e.packet(answer({104})) == Lines{"cqe 0 success", "cqe 1 success"});
    CHECK(e.packet(nak({100}, roce::NakCode::psn_sequence)) == Lines{});
    CHECK(e.rc.count(RcCount::ghosts) == 1);

    End read(s);
    read.post(wqe(Verb::read, 700, read));
    read.send();
    read.packet(response(Opcode::read_first, {100}, 256));
    read.packet(response(Opcode::read_last, {102}, 188));  // 101 is lost
    CHECK(read.send() == Lines{"read_request 100 at 40960:700 ask"});
    CHECK(read.packet(response(Opcode::read_first, {100}, 256)) == Lines{"place 100 8192+256"});
}

TEST_CASE("V-R9: after retry_cnt + 1 tries RETRY_EXC; progress reloads the tries", "[verbs]") {
    End e;  // retry_cnt 2
    e.post(wqe(Verb::send, 300, e));
    e.post(wqe(Verb::write, 0, e));
    e.send();
    Time at = kAckTime;
    const auto try_again = [&](std::size_t packets) {
        CHECK(e.expiry(at) == Lines{});
        CHECK(e.send().size() == packets);
        at += kAckTime;
    };
    try_again(3);
    try_again(3);
    e.packet(answer({100}));  // progress with the last try
    try_again(2);
    try_again(2);
    CHECK(e.expiry(at) == Lines{"cqe 0 retry_exc", "cqe 1 wr_flush"});
    CHECK(e.state().state == QpState::error);
    CHECK(e.rc.next_deadline() == kEndOfTime);
}

TEST_CASE("V-R9: retry_cnt 7 is seven", "[verbs]") {
    EndSettings s;
    s.attributes.retry_cnt = 7;
    End e(s);
    e.post(wqe(Verb::send, 0, e));
    std::uint32_t tries = 0;
    for (Time at = kAckTime; e.state().state == QpState::rts; at += kAckTime) {
        tries += static_cast<std::uint32_t>(e.send().size());
        e.timers(at);
    }
    CHECK(tries == 8);
}

TEST_CASE("V-R9: rnr_retry counts RNR NAKs, and 7 is endless", "[verbs]") {
    for (const std::uint8_t rnr_retry : {std::uint8_t{0}, std::uint8_t{2}, std::uint8_t{7}}) {
        EndSettings s;
        s.attributes.rnr_retry = rnr_retry;
        End e(s);
        e.post(wqe(Verb::send, 0, e));
        std::uint32_t tries = 0;
        while (tries < 40 && e.state().state == QpState::rts) {
            tries += static_cast<std::uint32_t>(e.send().size());
            const Lines lines = e.packet(rnr({100}, 1));
            if (!lines.empty()) CHECK(lines == Lines{"cqe 0 rnr_retry_exc"});
            e.timers(e.now + kMicrosecond * 10);
        }
        CHECK(tries == (rnr_retry == 7 ? 40U : rnr_retry + 1U));
    }
}

TEST_CASE("V-R9: rnr_retry reloads on progress", "[verbs]") {
    End e;  // rnr_retry 1
    e.post(wqe(Verb::send, 0, e));
    e.post(wqe(Verb::send, 0, e));
    for (const Psn psn : {Psn{100}, Psn{101}}) {
        e.send();
        CHECK(e.packet(rnr(psn, 1)) == Lines{});
        e.timers(e.now + kMicrosecond * 10);
        e.send();
        CHECK(e.packet(answer(psn)).size() == 1);
    }
}

TEST_CASE("V-R10: nothing is sent before an RNR NAK's time is over", "[verbs]") {
    End e;
    e.post(wqe(Verb::send, 0, e));
    e.post(wqe(Verb::write, 0, e));
    e.send();
    e.now = kMicrosecond;
    e.packet(rnr({100}, 3));  // 30 us
    CHECK(e.send() == Lines{});
    e.post(wqe(Verb::send, 0, e));
    CHECK(e.send() == Lines{});
    CHECK(e.expiry(kMicrosecond * 31) == Lines{});
    CHECK(e.send() == Lines{"send_only 100 ask", "write_only 101 at 40960:0 ask", "send_only 102 ask"});
    CHECK(e.rc.next_deadline() == kMicrosecond * 31 + kAckTime);
}

TEST_CASE("V-R2: the next WQEs are read while those before them are sent", "[verbs]") {
    SendQueue queue(32);
    REQUIRE(queue.post(20));
    const auto first = queue.next_fetch(Qpn{2}, 8);
    REQUIRE(first);
    CHECK(first->count == 8);
    CHECK(!queue.next_fetch(Qpn{2}, 8));  // as many are on their way as are kept
    REQUIRE(queue.fetched({}));
    CHECK(!queue.next_fetch(Qpn{2}, 8));  // it has come, and not begun
    queue.begin_current(1024);
    const auto next = queue.next_fetch(Qpn{2}, 8);  // seven of the first are still on their way
    REQUIRE(next);
    CHECK(next->first == 8);
    CHECK(next->count == 8);
    CHECK(!queue.next_fetch(Qpn{2}, 8));
}

}  // namespace rnicsim::rc
